import { NativeSelect } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useScope } from '../../session/use-scope.ts'
import type { TokenDraft } from './new-token-values.ts'
import { projectsQuery } from '../projects/queries.ts'

interface ReachFieldsProps {
  readonly form: UseFormReturnType<TokenDraft>
}

function choices(places: readonly { slug: string; name: string }[]) {
  return [{ value: '', label: 'Choose …' }, ...places.map(({ slug, name }) => ({ value: slug, label: name }))]
}

/** The project, and the stage if it is to be one. Archived ones are read as before, so they count. */
export function ReachFields({ form }: ReachFieldsProps) {
  const { data, error } = useQuery(projectsQuery(useScope()))
  const { reach, project } = form.values
  const stages = data?.find(({ projectSlug }) => projectSlug === project)?.stages ?? []
  const projectInput = form.getInputProps('project')
  return (
    <>
      <ProblemNotice error={error} />
      <NativeSelect
        {...projectInput}
        onChange={(event) => {
          projectInput.onChange(event)
          form.setFieldValue('stage', '')
        }}
        label="Project"
        data={choices((data ?? []).map(({ projectSlug: slug, name }) => ({ slug, name })))}
        required
      />
      {reach === 'stage' && (
        <NativeSelect
          {...form.getInputProps('stage')}
          label="Stage"
          data={choices(stages.map(({ stageSlug: slug, name }) => ({ slug, name })))}
          required
        />
      )}
    </>
  )
}
