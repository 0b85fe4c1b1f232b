import type { Project } from '@rollkey/sdk/core'
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { GuardedPlace } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { FormDrawer } from '../../ui/form.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { useNow } from '../../ui/time.tsx'
import { ProtectedMark } from '../../parts/projects/protected-mark.tsx'
import { currentStages, projectsQuery } from '../../data/projects/queries.ts'
import classes from './person-access.module.css'
import { labels as accessLabels, verbsText } from '../../data/access/labels.ts'
import { labels } from './labels.ts'
import { cellOf, keyOf, type Named, roleOf, type Source, sourcesBy } from '../../data/access/matrix.ts'
import { accessQuery, groupsQuery, rolesQuery } from '../../data/access/queries.ts'
import { placeName } from '../../data/projects/labels.ts'

const words = labels.person

interface PersonAccessProps {
  /** Undefined: the drawer is closed. */
  readonly named: Named | undefined
  readonly onClose: () => void
}

/** Shows what a person may do where. */
export function PersonAccessDrawer({ named, onClose }: PersonAccessProps) {
  return (
    <FormDrawer opened={named !== undefined} onClose={onClose} title={named && accessLabels.accessOf(named.name)}>
      {named && <PersonAccess named={named} />}
    </FormDrawer>
  )
}

function PersonAccess({ named }: { readonly named: Named }) {
  const scope = useScope()
  const access = useQuery(accessQuery(scope, {}))
  const groups = useQuery(groupsQuery(scope))
  const roles = useQuery(rolesQuery(scope))
  const projects = useQuery(projectsQuery(scope))
  const error = access.error ?? groups.error ?? roles.error ?? projects.error
  if (!access.data || !groups.data || !roles.data || !projects.data) {
    return error ? <LoadError error={error} /> : <RowsSkeleton rows={3} />
  }
  const { defaultRole, grants } = access.data
  const sources = sourcesBy({ defaultRole, grants, groups: groups.data, roles: roles.data })(named)
  const own = groups.data.filter(({ members }) => members.some((member) => keyOf(member) === keyOf(named.principal)))
  return (
    <Stack>
      {own.length > 0 && (
        <Group gap="xs">
          <Text c="dimmed">{words.groups}</Text>
          {own.map(({ id, name }) => (
            <Badge key={id}>{name}</Badge>
          ))}
        </Group>
      )}
      <ul className={`plain-list ${classes['places']}`}>
        <PlaceItem place={{}} sources={sources} />
        {projects.data.map((project) => (
          <ProjectItems key={project.projectSlug} project={project} sources={sources} />
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        {words.changeHint}
      </Text>
    </Stack>
  )
}

interface ProjectItemsProps {
  readonly project: Project
  readonly sources: readonly Source[]
}

/** Shows a project, and those of its stages where the person may do something else. */
function ProjectItems({ project, sources }: ProjectItemsProps) {
  const nowMs = useNow()
  const { projectSlug } = project
  const around = cellOf(sources, { projectSlug }, nowMs).verbs.join()
  const stages = currentStages(project)
    .map(({ stageSlug, isProtected }) => ({ projectSlug, stageSlug, isProtected: isProtected === true }))
    .filter((place) => cellOf(sources, place, nowMs).verbs.join() !== around)
  return (
    <>
      <PlaceItem place={{ projectSlug }} sources={sources} />
      {stages.map((place) => (
        <PlaceItem key={place.stageSlug} place={place} sources={sources} />
      ))}
    </>
  )
}

interface PlaceItemProps {
  readonly place: GuardedPlace
  readonly sources: readonly Source[]
}

function PlaceItem({ place, sources }: PlaceItemProps) {
  const nowMs = useNow()
  const cell = cellOf(sources, place, nowMs)
  const { verbs } = cell
  const { role, more } = roleOf(cell, place)
  const { projectSlug } = place
  return (
    <li data-stage={place.stageSlug !== undefined || undefined}>
      <Group gap={6}>
        {projectSlug === undefined && (
          <TextLink from="/o/$orgSlug" to="./members/access" search={{}}>
            {accessLabels.organization}
          </TextLink>
        )}
        {place.stageSlug !== undefined && <span>{placeName(place)}</span>}
        {projectSlug !== undefined && place.stageSlug === undefined && (
          <TextLink from="/o/$orgSlug" to="./p/$projectSlug/access" params={{ projectSlug }} search={{}}>
            {projectSlug}
          </TextLink>
        )}
        <ProtectedMark isProtected={place.isProtected} />
      </Group>
      <Text component="span" c="dimmed" title={verbsText(verbs)}>
        {role ?? accessLabels.withoutRole(more)}
        {role !== undefined && more.length > 0 && `, ${accessLabels.more(more)}`}
      </Text>
    </li>
  )
}
