/** Shows every token and shared component in its states. `npm run dev` serves it at /specimens/; the build leaves it out. */
import '@mantine/core/styles.css'
import '../src/fonts.css'
import '../src/global.css'
import { MantineProvider } from '@mantine/core'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { theme, tokenVariables } from '../src/app/theme.ts'
import { Specimens } from './specimens.tsx'

const root = document.querySelector('#root')
if (!root) throw new Error('The document has no #root.')
const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
const router = createRouter({ routeTree: createRootRoute({ component: Specimens }), basepath: '/specimens' })
createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={tokenVariables}
    defaultColorScheme="auto"
    getStyleNonce={styleNonce}
  >
    <RouterProvider router={router} />
  </MantineProvider>,
)
