import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * Returns what to do if the web application of a checkout is not built; undefined if it is.
 * @param {string} root folder of the checkout
 * @returns {string | undefined}
 */
export function missingBuild(root) {
  if (existsSync(path.join(root, 'packages/dashboard/dist/index.html'))) return undefined
  return 'The web application is not built, so a browser finds no page: run `npm run build`, then reload the page.'
}
