import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { billOfMaterials } from '../../tools/release/sbom.ts'

const { version, engines } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** Returns code that ends a Node that is too old with one sentence, before it reaches an API that it lacks. */
function versionCheck() {
  const [major, minor] = engines.node.replace('>=', '').split('.').map(Number)
  return `
const [nodeMajor, nodeMinor] = process.versions.node.split('.').map(Number)
if (nodeMajor < ${major} || (nodeMajor === ${major} && nodeMinor < ${minor})) {
  console.error('rollkey needs Node ${major}.${minor} or newer; this is ' + process.version + '. Install a newer one from https://nodejs.org.')
  process.exit(1)
}`
}

/**
 * Requires the modules of Node after the check of its version. An import of a name that an old Node lacks would fail before
 * the first line runs, with an error that shows the whole file.
 */
const requireAfterCheck = {
  name: 'require-after-check',
  renderChunk(code) {
    const required = []
    const rest = code.replaceAll(/^import (.+) from "(.+)";$/gm, (line, names, from) => {
      if (!isBuiltin(from)) return line
      for (const [, name, list] of names.matchAll(/(?:\* as )?([\w$]+)|({.+})/g)) {
        required.push(`const ${name ?? list.replaceAll(' as ', ': ')} = requireBuiltin("${from}");`)
      }
      return ''
    })
    const head = `import { createRequire as createRequireOfNode } from "node:module";${versionCheck()}`
    return [head, 'const requireBuiltin = createRequireOfNode(import.meta.url);', ...required, rest].join('\n')
  },
}

/** Bundles everything into one file for Node, except the native binding to the keychain. */
export default {
  input: new URL('src/main.ts', import.meta.url).pathname,
  platform: 'node',
  external: ['@napi-rs/keyring'],
  resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
  // Old enough for Node 16 and 18 to parse the check of their version.
  transform: { define: { ROLLKEY_VERSION: JSON.stringify(version) }, target: 'node16.20' },
  plugins: [requireAfterCheck, billOfMaterials()],
  output: {
    file: new URL('dist/rollkey.js', import.meta.url).pathname,
    format: 'esm',
    codeSplitting: false,
    minify: true,
    // One other character doubles the memory of its text, which V8 keeps for as long as the process runs.
    charset: 'ascii',
  },
}
