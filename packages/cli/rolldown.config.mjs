import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** One file for Node, with everything in it but the native binding to the keychain. */
export default {
  input: new URL('src/main.ts', import.meta.url).pathname,
  platform: 'node',
  external: ['@napi-rs/keyring'],
  resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
  transform: { define: { ROLLKEY_VERSION: JSON.stringify(version) }, target: 'node20.19' },
  output: {
    file: new URL('dist/rollkey.js', import.meta.url).pathname,
    format: 'esm',
    codeSplitting: false,
    minify: true,
  },
}
