import { Group, Text, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import classes from './section.module.css'

interface SectionProps {
  readonly title: string
  /** One line of context under the heading. */
  readonly lead?: ReactNode
  /** What can be done with this part, to the right of its heading. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page under its heading. */
export function Section({ title, lead, actions, children }: SectionProps) {
  const headingId = useId()
  return (
    <section aria-labelledby={headingId} className={classes['section']}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
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

/** A part of a page that stands in a box, because it is one of several side by side. */
export function Panel(props: SectionProps) {
  return (
    <div className={classes['panel']}>
      <Section {...props} />
    </div>
  )
}
