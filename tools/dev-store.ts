/** Folder of the store of `npm run dev`, unless ROLLKEY_DATA_DIR names another one. */
import { fileURLToPath } from 'node:url'

export const developmentStore = fileURLToPath(new URL('../dev-data', import.meta.url))
