import { defineConfig } from 'vitest/config'

const unit = [
  'packages/contract/test/**/*.test.ts',
  'packages/server/test/config.test.ts',
  'packages/server/test/{base,storage,crypto,metering,variables,evaluation}/**/*.test.ts',
]

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: unit, testTimeout: 20_000 } },
      {
        test: {
          name: 'http',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: unit,
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
