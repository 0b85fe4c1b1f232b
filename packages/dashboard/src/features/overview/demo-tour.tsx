import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import { openProposalsQuery } from '../../data/proposals/queries.ts'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { IconClose } from '../../ui/icons.ts'
import { Panel } from '../../ui/page.tsx'
import { useHidden } from './first-steps.tsx'
import { labels } from './labels.ts'
import classes from './overview.module.css'

const { tour: words } = labels

/** Leads through what the organization of a demo has, until the person hides it. */
export function DemoTour() {
  const { orgSlug } = useScope()
  const [isHidden, hide] = useHidden('tour')
  const { data: changes = [] } = useQuery(openProposalsQuery(useScope()))
  if (isHidden) return null
  const waiting = changes.filter(({ needsYou }) => needsYou).length
  const textOf = (stop: keyof typeof words.stops) =>
    stop === 'review' && waiting > 0 ? words.reviewing(waiting) : words.stops[stop]
  const shop = { orgSlug, projectSlug: 'shop' }
  const stops: readonly (LinkProps & { readonly text: keyof typeof words.stops })[] = [
    { text: 'table', to: '/o/$orgSlug/p/$projectSlug', params: shop },
    { text: 'review', to: '/o/$orgSlug/changes', params: { orgSlug } },
    {
      text: 'rollout',
      to: '/o/$orgSlug/p/$projectSlug/roll',
      params: shop,
      search: { stage: 'prod', name: 'PHOTO_REVIEWS' },
    },
    { text: 'access', to: '/o/$orgSlug/p/$projectSlug/access', params: shop },
    { text: 'usage', to: '/o/$orgSlug/usage', params: { orgSlug } },
  ]
  return (
    <Panel
      title={words.title}
      actions={
        <ActionIcon aria-label={words.hide} onClick={hide}>
          <IconClose />
        </ActionIcon>
      }
    >
      <ol className={classes['tour']}>
        {stops.map(({ text, ...link }) => (
          <li key={text}>
            <TextLink {...link}>{textOf(text).title}</TextLink>
            <span>{textOf(text).text}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
