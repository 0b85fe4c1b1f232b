import { NativeSelect } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { builtInRoles } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { projectsQuery } from '../../data/projects/queries.ts'
import { roleText } from '../../data/access/labels.ts'
import { labels } from './labels.ts'
import { rolesIn, scopeChoices, type ScopedDraft } from './scoped-draft.ts'

/** The part of a form that says where a credential is valid, and what it may do there. */
interface ScopedForm {
  readonly values: ScopedDraft
  getInputProps(path: keyof ScopedDraft): GetInputPropsReturnType
  setFieldValue(path: 'stage', value: string): void
}

interface OfFormProps {
  readonly form: ScopedForm
}

/** Selects what a credential may do, among what the viewer may do there themselves. */
export function RoleField({ form }: OfFormProps) {
  const roles = rolesIn(form.values, useMay())
  const { role } = form.values
  // Another scope may allow less than the one for which the role was chosen.
  const isAllowed = roles.includes(role)
  return (
    <NativeSelect
      {...form.getInputProps('role')}
      value={isAllowed ? role : ''}
      label={labels.role}
      description={isAllowed && roleText({ name: role, verbs: builtInRoles[role] })}
      data={[...(isAllowed ? [] : [{ value: '', label: labels.choose }]), ...roles]}
      required
    />
  )
}

interface PlaceOption {
  readonly slug: string
  readonly name: string
  readonly archivedAtMs?: number | undefined
}

function choices(options: readonly PlaceOption[]) {
  const archivedLast = options.toSorted(
    (a, b) => Number(a.archivedAtMs !== undefined) - Number(b.archivedAtMs !== undefined),
  )
  return [
    { value: '', label: labels.choose },
    ...archivedLast.map(({ slug, name, archivedAtMs }) => ({
      value: slug,
      label: archivedAtMs === undefined ? name : labels.archived(name),
    })),
  ]
}

/**
 * Selects the scope with its project, and the stage for one stage, among those that the viewer manages. Archived ones come last: tokens can
 * read them.
 */
export function PlaceFields({ form }: OfFormProps) {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const may = useMay()
  const { scope, project } = form.values
  const stages = (data?.find(({ projectSlug }) => projectSlug === project)?.stages ?? []).filter(({ stageSlug }) =>
    may('manage', { projectSlug: project, stageSlug }),
  )
  const projects = (data ?? []).filter(({ projectSlug, stages: all }) =>
    [{ projectSlug }, ...(scope === 'stage' ? all : [])].some((place) => may('manage', { projectSlug, ...place })),
  )
  const projectInput = form.getInputProps('project')
  return (
    <>
      <ErrorNotice error={error} />
      <NativeSelect
        {...projectInput}
        onChange={(event) => {
          projectInput.onChange(event)
          form.setFieldValue('stage', '')
        }}
        label={labels.project}
        data={choices(projects.map((each) => ({ ...each, slug: each.projectSlug })))}
        required
      />
      {scope === 'stage' && (
        <NativeSelect
          {...form.getInputProps('stage')}
          label={labels.stage}
          data={choices(stages.map((each) => ({ ...each, slug: each.stageSlug })))}
          required
        />
      )}
    </>
  )
}

/** Selects the scope: the organization, a project or a stage. */
export function ScopeFields({ form }: OfFormProps) {
  const managesAll = useMay()('manage')
  return (
    <>
      <NativeSelect
        {...form.getInputProps('scope')}
        label={labels.scope}
        data={scopeChoices.filter(({ value }) => value !== 'organization' || managesAll)}
      />
      {form.values.scope !== 'organization' && <PlaceFields form={form} />}
    </>
  )
}
