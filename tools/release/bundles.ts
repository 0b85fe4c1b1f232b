/** Bundles programs with the packages that they use. */
import path from 'node:path'
import { rolldown, type InputOptions, type Plugin } from 'rolldown'
import { billOfMaterials } from './sbom.ts'

const server = path.resolve(import.meta.dirname, '../../packages/server/src')

/**
 * Functions of packages that another package imports at once, though few requests call them. All are asynchronous. What checks passkeys took
 * 34 ms and 12 MB of each start.
 */
const lateFunctions: Readonly<Record<string, readonly string[]>> = {
  '@simplewebauthn/server': [
    'generateAuthenticationOptions',
    'generateRegistrationOptions',
    'verifyAuthenticationResponse',
    'verifyRegistrationResponse',
  ],
}

/** Returns a plugin with which the first call of such a function loads its package. */
function loadedLate(): Plugin {
  const prefix = '\0late:'
  const files = new Map<string, string>()
  return {
    name: 'late',
    async resolveId(source, importer) {
      if (!Object.hasOwn(lateFunctions, source)) return null
      const resolved = await this.resolve(source, importer, { skipSelf: true })
      if (resolved) files.set(source, resolved.id)
      return resolved && prefix + source
    },
    load(id) {
      const source = id.startsWith(prefix) ? id.slice(prefix.length) : ''
      const file = JSON.stringify(files.get(source))
      return lateFunctions[source]
        ?.map((name) => `export const ${name} = async (...args) => (await import(${file})).${name}(...args)`)
        .join('\n')
    },
  }
}

function inputOptions(version: string): InputOptions {
  return {
    platform: 'node',
    resolve: { conditionNames: ['source', 'node'] },
    transform: { target: 'node24.15', define: { ROLLKEY_VERSION: JSON.stringify(version) } },
  }
}

/**
 * Names stay, so that the stack of an error and a profile can be read without the source maps. One character that is not Latin-1 would
 * double the memory of a file's text, which V8 keeps for as long as the process runs.
 */
const outputForm = {
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  charset: 'ascii',
} as const

/**
 * Writes the modules of the service. What few installations use is in separate files, which they load when they need them. `app` is the
 * part of the program that tests start in their own process.
 */
export async function bundleServer(folder: string, version: string): Promise<void> {
  const options = inputOptions(version)
  const input = { main: path.join(server, 'main.ts'), app: path.join(server, 'compose/app.ts') }
  const program = await rolldown({ ...options, input, plugins: [loadedLate(), billOfMaterials()] })
  await program.write({
    dir: folder,
    // An import of node:http by an ES module loads all of it, with undici, which takes 50 ms of each start.
    format: 'cjs',
    ...outputForm,
    sourcemap: 'hidden',
    // shipped-files.ts finds the other files beside its module.
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  })
  for (const name of ['identity/scrypt-thread.ts', 'storage/checkpoint-thread.ts']) {
    const thread = await rolldown({ ...options, input: path.join(server, name) })
    await thread.write({ dir: folder, format: 'esm', ...outputForm })
  }
}

/** Writes a program as one CommonJS file, the only form that a single executable of Node 24 takes. */
export async function bundleForExecutable(source: string, file: string, version: string): Promise<void> {
  const bundle = await rolldown({ ...inputOptions(version), input: source, external: ['@napi-rs/keyring'] })
  await bundle.write({ file, format: 'cjs', ...outputForm, codeSplitting: false })
}
