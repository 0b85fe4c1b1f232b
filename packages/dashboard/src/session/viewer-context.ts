import { createContext, use } from 'react'
import type { EmbeddedViewer, Viewer } from './viewer.ts'

export const ViewerContext = createContext<Viewer | undefined>(undefined)

/** Who is signed in, on pages that nobody else sees. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (!viewer) throw new Error('A page for signed-in people is shown outside their routes.')
  return viewer
}

/** The same, in parts of pages that only the built-in identity provider has. */
export function useEmbeddedViewer(): EmbeddedViewer {
  const viewer = useViewer()
  if (viewer.provider !== 'embedded') throw new Error('A part for the built-in identity provider is shown without it.')
  return viewer
}
