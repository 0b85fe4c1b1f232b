import { Anchor, Group, Text, Title } from '@mantine/core'
import {
  type ComponentPropsWithRef,
  createContext,
  type ReactNode,
  use,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import { useMergedRef } from '@mantine/hooks'
import { createLink } from '@tanstack/react-router'
import classes from './page.module.css'
import { focusHeading } from './focus.ts'
import { labels } from './labels.ts'

interface PageProps {
  readonly title: string
  /**
   * Whether the title is the name of a variable or a slug.
   * @default false
   */
  readonly isName?: boolean
  /** One line of context under the heading. */
  readonly lead?: ReactNode
  /** Actions to the right of the heading, the primary one last. */
  readonly actions?: ReactNode
  /**
   * Maximum width of the body: for text and forms, for overviews, or for tables of variables.
   * @default 'page'
   */
  readonly width?: 'reading' | 'page' | 'full'
  /**
   * Whether the field to begin with takes the focus on every visit, and not only if the page is the first one.
   * @default false
   */
  readonly startsInField?: boolean
  readonly children?: ReactNode
}

/** Length from which a title has no room beside two buttons on a phone. */
const longTitle = 24

/** The browser itself starts at the top of the first page. */
let isFirstPage = true

/** Shows a page's header and body. A new heading takes the focus, so that a screen reader reads it; at first, the field to begin with. */
export function Page({
  title,
  isName = false,
  lead,
  actions,
  width = 'page',
  startsInField = false,
  children,
}: PageProps) {
  const page = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const focused = useRef('')
  const documentTitle = useDocumentTitle(title)
  useEffect(() => {
    document.title = documentTitle
    if (focused.current === title) return
    focused.current = title
    if (isFirstPage || startsInField) page.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    else heading.current?.focus()
    isFirstPage = false
  }, [title, documentTitle, startsInField])
  return (
    <div ref={page} className={classes['page']} data-width={width}>
      <div className={classes['header']}>
        <div className={classes['words']}>
          <Title
            ref={heading}
            className="wrapping"
            tabIndex={-1}
            order={1}
            data-long={title.length > longTitle || undefined}
            {...(isName && { ff: 'monospace' })}
          >
            {title}
          </Title>
          {lead !== undefined && (
            <Text component="div" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && (
          <Group gap="xs" mih="var(--control-height)">
            {actions}
          </Group>
        )}
      </div>
      {use(PageTabsContext)}
      {children}
    </div>
  )
}

/** Links to the pages of a section, which each of them shows below its title. */
export const PageTabsContext = createContext<ReactNode>(null)

/** Parts of the document's title besides the page's heading. */
export interface TitleContext {
  /** The open thing, in place of the heading. */
  readonly subject?: string | undefined
  /** The owner of the page, such as a project. */
  readonly place?: string | undefined
}

export const PageTitleContext = createContext<TitleContext>({})

/** Returns the title of the document for a page's heading, such as "API_KEY · web-shop · Rollkey". */
function useDocumentTitle(heading: string): string {
  const { subject = heading, place = subject } = use(PageTitleContext)
  return [...new Set([subject, place, labels.product])].join(' · ')
}

interface FocusRegionProps {
  readonly children: ReactNode
}

/** Takes the focus when it replaces a focused element. */
export function FocusRegion({ children }: FocusRegionProps) {
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => part.current?.focus(), [])
  return (
    <div ref={part} tabIndex={-1} className="focused-part">
      {children}
    </div>
  )
}

export const mainId = 'main'

interface SkipLinkProps {
  /** @default 'Skip to content' */
  readonly label?: string
  /** Gives the focus to what comes next. @default the heading gets it */
  readonly onSkip?: () => void
}

/** Skips the navigation for keyboard users. It does not change the address, where fragments have a meaning. */
export function SkipLink({ label = labels.skip, onSkip = focusHeading }: SkipLinkProps) {
  return (
    <Anchor
      className="skip-link"
      href={`#${mainId}`}
      onClick={(event) => {
        event.preventDefault()
        onSkip()
      }}
    >
      {label}
    </Anchor>
  )
}

interface SectionProps {
  readonly title: string
  /** One line of context under the heading. */
  readonly lead?: ReactNode
  /** Actions of this part, to the right of its heading. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Returns the key by which the first control of a part of a page receives the focus. */
export function sectionFocus(title: string): string {
  return `section/${title}`
}

/** Shows a part of a page under its heading. */
export function Section({ title, lead, actions, children }: SectionProps) {
  const headingId = useId()
  return (
    <section aria-labelledby={headingId} className={classes['section']} data-focus={sectionFocus(title)}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div className={classes['heading']}>
          <Title id={headingId} order={2} size="h3">
            {title}
          </Title>
          {lead !== undefined && (
            <Text size="sm" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </section>
  )
}

/** Shows a part of a page in a box, beside others. */
export function Panel(props: SectionProps) {
  return (
    <div className={classes['panel']}>
      <Section {...props} />
    </div>
  )
}

interface TabLinksProps {
  /** Name of the group of pages. */
  readonly label: string
  /** Whether the tabs are known. Until then, only their place is there. @default true */
  readonly areKnown?: boolean
  /** TabLink elements. */
  readonly children: ReactNode
}

/** Shows links to pages as tabs, of which one is current. */
export function TabLinks({ label, areKnown = true, children }: TabLinksProps) {
  return (
    <nav aria-label={label} className={classes['tabs']}>
      {areKnown && children}
    </nav>
  )
}

/** One tab: a typed link of the router, which marks the current page. */
export const TabLink = createLink(({ ref, ...props }: ComponentPropsWithRef<'a'>) => {
  const link = useRef<HTMLAnchorElement>(null)
  const isCurrent = props['aria-current'] === 'page'
  // On a phone, the current tab may be outside of the row.
  useLayoutEffect(() => {
    const row = link.current?.parentElement
    if (isCurrent && link.current && row)
      row.scrollLeft = link.current.offsetLeft - (row.clientWidth - link.current.offsetWidth) / 2
  }, [isCurrent])
  // eslint-disable-next-line jsx-a11y/anchor-has-content -- The link gets its content with its props.
  return <a {...props} ref={useMergedRef(link, ref)} className={classes['tab']} />
})
