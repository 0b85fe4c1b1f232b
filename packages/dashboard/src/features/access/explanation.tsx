import type { Principal, Stage } from '@rollkey/sdk/core'
import { Stack, Text, Title } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useScope } from '../../session/scope.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { IconProtected } from '../../ui/icons.ts'
import { useNow } from '../../ui/time.tsx'
import classes from './access.module.css'
import { labels } from './labels.ts'
import { cellOf, type Named } from '../../data/access/matrix.ts'
import { explainQuery } from '../../data/access/queries.ts'
import { sourceText } from './source-text.ts'
import type { Access, NamedPlace } from './use-access.ts'
import { mayText } from '../../data/access/labels.ts'

const words = labels.grant

interface ExplanationProps {
  readonly access: Access
  readonly named: Named
  readonly place: Place
}

/** Shows which grant gives which verb, as the service decides it, and in which stages of a project they may do something else. */
export function Explanation({ access, named, place }: ExplanationProps) {
  const { principal } = named
  const exceptions = exceptionsOf(access, named, place, useNow())
  const approvals = stageAt(access, place)?.protection?.approvals ?? 0
  const id = useId()
  const explanation = useQuery(explainQuery(useScope(), principal, place))
  const groupOf = (from: Principal | undefined) =>
    from?.kind === 'group' && principal.kind !== 'group'
      ? { group: access.groups.find((each) => each.id === from.id) }
      : {}
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title id={id} order={3} size="h4">
        {words.explanation}
      </Title>
      <QueryPart query={explanation} rows={3}>
        {({ verbs, isProtected, sources }) => (
          <>
            <Text>{verbs.length === 0 ? words.appliesNothing : words.effective(mayText(verbs))}</Text>
            {approvals > 0 && verbs.includes('write') && <Text>{words.needsApproval(approvals)}</Text>}
            {exceptions.map(({ name, isLess, verbs: there }) => (
              <Text key={name}>{words.effectiveIn(name, there.length === 0 ? undefined : mayText(there), isLess)}</Text>
            ))}
            {isProtected && (
              <Text size="sm" className={classes['protected'] ?? ''}>
                <IconProtected size={14} />
                {words.isProtected}
              </Text>
            )}
            <ul className={`plain-list ${classes['sources']}`}>
              {sources.map(({ principal: from, verbs: given, ...source }, at) => (
                <li key={at}>
                  <span>{sourceText({ ...source, ...groupOf(from) })}</span>{' '}
                  <Text component="span" size="sm" c="dimmed">
                    {given.length === 0 ? labels.source.givesNothing : labels.source.gives(mayText(given))}
                  </Text>
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryPart>
    </Stack>
  )
}

/** Returns the stage that a place is. */
function stageAt({ places }: Access, { projectSlug, stageSlug }: Place): Stage | undefined {
  return stagesOf(places, projectSlug).find((stage) => stage.stageSlug === stageSlug)
}

function stagesOf(places: readonly NamedPlace[], projectSlug: string | undefined): readonly Stage[] {
  return places.flatMap((place) => (place.projectSlug === projectSlug ? (place.stage ?? place.stages ?? []) : []))
}

/** Returns the stages of a project where someone may do something else than in the project, by their names. */
function exceptionsOf({ places, sourcesOf }: Access, who: Named, { projectSlug, stageSlug }: Place, nowMs: number) {
  if (projectSlug === undefined || stageSlug !== undefined) return []
  const sources = sourcesOf(who)
  const around = cellOf(sources, { projectSlug }, nowMs).verbs
  return stagesOf(places, projectSlug)
    .map((stage) => {
      const isProtected = stage.isProtected === true
      const { verbs } = cellOf(sources, { projectSlug, stageSlug: stage.stageSlug, isProtected }, nowMs)
      return { name: stage.name, verbs, isLess: isProtected && around.some((verb) => !verbs.includes(verb)) }
    })
    .filter(({ verbs }) => verbs.join() !== around.join())
}
