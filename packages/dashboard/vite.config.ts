import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { canBeCommon } from '../contract/src/rules/common-password.ts'
import { billOfMaterials } from '../../tools/release/sbom.ts'
import { passwordCharacters } from './src/lib/validation.ts'

/** Loads the fonts of every page together with its styles, which name them, so that text does not change its font. */
const preloadFonts: Plugin = {
  name: 'preload-fonts',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /\/geist(-mono)?-latin-(?!ext)[^/]*\.woff2$/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        })),
  },
}

/** Leaves out of the list of common passwords what no password that is long enough can contain: it is then half as large. */
const shortCommonPasswords: Plugin = {
  name: 'short-common-passwords',
  enforce: 'pre',
  transform: {
    filter: { id: /language-common\/src\/passwords\.json$/ },
    handler: (code) =>
      JSON.stringify(
        (JSON.parse(code) as string[]).filter((each) => canBeCommon(each, passwordCharacters.min)).toSorted(),
      ),
  },
}

export default defineConfig({
  base: '/',
  plugins: [react(), preloadFonts, shortCommonPasswords, billOfMaterials()],
  // Packages of the workspace are bundled from their sources, not from their builds.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    target: 'baseline-widely-available',
    // The content security policy of the service allows no inline script and no data: address but images.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The styles of pages are an eighth of all styles. As a file for each page, they cost requests and styling the page again.
    cssCodeSplit: false,
    sourcemap: false,
    // The shared script is larger than what Vite warns of. A test limits what the first page loads.
    chunkSizeWarningLimit: 700,
    // What many pages share is one script: the page of a project loads a third of the scripts, and fewer bytes.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 12 }] } },
    },
  },
})
