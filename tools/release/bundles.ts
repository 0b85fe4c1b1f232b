/** Bundles programs with the packages that they use. */
import path from 'node:path'
import { rolldown, type InputOptions } from 'rolldown'
import { billOfMaterials } from './sbom.ts'

const server = path.resolve(import.meta.dirname, '../../packages/server/src')

function inputOptions(version: string): InputOptions {
  return {
    platform: 'node',
    resolve: { conditionNames: ['source', 'node'] },
    transform: { target: 'node24.15', define: { ROLLKEY_VERSION: JSON.stringify(version) } },
  }
}

/** Names stay, so that the stack of an error and a profile can be read without the source maps. */
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const

/**
 * Writes the modules of the service. What few installations use is in separate files, which they load when they need them. `app` is the
 * part of the program that tests start in their own process.
 */
export async function bundleServer(folder: string, version: string): Promise<void> {
  const options = inputOptions(version)
  const input = { main: path.join(server, 'main.ts'), app: path.join(server, 'compose/app.ts') }
  const program = await rolldown({ ...options, input, plugins: [billOfMaterials()] })
  await program.write({
    dir: folder,
    // An import of node:http by an ES module loads all of it, with undici, which takes 50 ms of each start.
    format: 'cjs',
    minify,
    sourcemap: 'hidden',
    // shipped-files.ts finds the other files beside its module.
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  })
  const thread = await rolldown({ ...options, input: path.join(server, 'identity/scrypt-thread.ts') })
  await thread.write({ dir: folder, format: 'esm', minify })
}

/** Writes a program as one CommonJS file, the only form that a single executable of Node 24 takes. */
export async function bundleForExecutable(source: string, file: string, version: string): Promise<void> {
  const bundle = await rolldown({ ...inputOptions(version), input: source, external: ['@napi-rs/keyring'] })
  await bundle.write({ file, format: 'cjs', minify, codeSplitting: false })
}
