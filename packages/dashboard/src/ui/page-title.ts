import { createContext, use } from 'react'

/** What the title of the document says besides the page's heading. */
export interface TitleContext {
  /** What is open on the page, in place of the heading. */
  readonly subject?: string | undefined
  /** What the page belongs to, such as a project. */
  readonly place?: string | undefined
}

export const PageTitleContext = createContext<TitleContext>({})

/** Returns the title of the document for a page's heading, such as "API_KEY · web-shop · Rollkey". */
export function useDocumentTitle(heading: string): string {
  const { subject = heading, place = subject } = use(PageTitleContext)
  return [...new Set([subject, place, 'Rollkey'])].join(' · ')
}
