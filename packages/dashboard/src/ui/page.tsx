import { Group, Text, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { useDocumentTitle } from './page-title.ts'
import classes from './page.module.css'

interface PageProps {
  readonly title: string
  /**
   * Whether the title is the name of a variable or a slug.
   * @default false
   */
  readonly isName?: boolean
  /** One line of context under the heading. */
  readonly lead?: ReactNode
  /** What can be done here, to the right of the heading; the primary action last. */
  readonly actions?: ReactNode
  /**
   * How wide the body may be: for text and forms, for overviews, or for tables of variables.
   * @default 'page'
   */
  readonly width?: 'reading' | 'page' | 'full'
  readonly children?: ReactNode
}

/** The browser itself starts at the top of the first page. */
let isFirstPage = true

/** A page's header and body. A new heading takes the focus, so that a screen reader tells where one is. */
export function Page({ title, isName = false, lead, actions, width = 'page', children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const focused = useRef('')
  const documentTitle = useDocumentTitle(title)
  useEffect(() => {
    document.title = documentTitle
    if (focused.current === title) return
    focused.current = title
    if (!isFirstPage) heading.current?.focus()
    isFirstPage = false
  }, [title, documentTitle])
  return (
    <div className={classes['page']} data-width={width}>
      <div className={classes['header']}>
        <div className={classes['words']}>
          <Title ref={heading} className="wrapping" tabIndex={-1} order={1} {...(isName && { ff: 'monospace' })}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text component="div" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </div>
      {children}
    </div>
  )
}
