import { Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** One sentence under the heading. */
  readonly lead?: ReactNode
  readonly children?: ReactNode
}

/** The browser itself starts at the top of the first page. */
let isFirstPage = true

/** A page's heading and what follows it. A new heading takes the focus, so that a screen reader tells where one is. */
export function Page({ title, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Rollkey`
    if (!isFirstPage) heading.current?.focus()
    isFirstPage = false
  }, [title])
  return (
    <Stack gap="lg">
      <Stack gap={6}>
        <Title ref={heading} className="wrapping" tabIndex={-1} order={1} size="h2">
          {title}
        </Title>
        {lead !== undefined && <Text c="dimmed">{lead}</Text>}
      </Stack>
      {children}
    </Stack>
  )
}
