/**
 * Makes a process a version that has one more migration, without any change of the service's source: load this file with
 * --import. It replaces the shipped files that storage/migrate.ts reads, so it needs the sources.
 */
import { registerHooks } from 'node:module'

const files = new URL('./added-migration.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context)
    const isMigrations = context.parentURL?.endsWith('/storage/migrate.ts') && found.url.endsWith('/shipped-files.ts')
    return isMigrations ? { ...found, url: files } : found
  },
})
