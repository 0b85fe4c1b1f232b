/** Bundles the service with the packages that it uses. */
import path from 'node:path'
import { rolldown, type InputOptions } from 'rolldown'
import { billOfMaterials } from './sbom.ts'

const source = path.resolve(import.meta.dirname, '../../packages/server/src')

function inputOptions(version: string): InputOptions {
  return {
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    transform: { target: 'node24.15', define: { ROLLKEY_VERSION: JSON.stringify(version) } },
    plugins: [billOfMaterials()],
  }
}

/** Names stay, so that the stack of an error and a profile can be read without the source maps. */
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const

/** Writes the modules of the service. What few installations use is in separate files, which they load when they need them. */
export async function buildServer(folder: string, version: string): Promise<void> {
  const input = {
    main: path.join(source, 'main.ts'),
    'scrypt-thread': path.join(source, 'identity/scrypt-thread.ts'),
  }
  const bundle = await rolldown({ ...inputOptions(version), input })
  await bundle.write({
    dir: folder,
    format: 'esm',
    minify,
    sourcemap: 'hidden',
    // shipped-files.ts finds the other files beside its module.
    chunkFileNames: '[name]-[hash].js',
  })
}
