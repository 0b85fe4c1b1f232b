import { createContext, use } from 'react'
import type { Viewer } from './viewer.ts'

export const ViewerContext = createContext<Viewer | undefined>(undefined)

/** Who is signed in, on pages that nobody else sees. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (!viewer) throw new Error('A page for signed-in people is shown outside their routes.')
  return viewer
}
