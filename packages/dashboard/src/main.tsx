import '@mantine/core/styles.css'
import './fonts.css'
import './global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { mendLanguage } from './lib/language.ts'

mendLanguage()
const root = document.querySelector('#root')
if (!root) throw new Error('The document has no #root.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
