import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  base: '/',
  plugins: [react()],
  // Packages of the workspace are bundled from their sources, not from their builds.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    target: 'baseline-widely-available',
    // The content security policy of the service allows no inline script and no data: address but images.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
  },
})
