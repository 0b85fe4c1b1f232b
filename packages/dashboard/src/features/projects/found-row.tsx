import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import type { Project } from './queries.ts'
import type { Found } from './found.ts'
import { kindName, typeNames } from '../variables/labels.ts'

interface FoundRowProps {
  readonly found: Found
  /** Undefined: it is too new to be in the list. */
  readonly project: Project | undefined
}

export function FoundRow({ found, project }: FoundRowProps) {
  const { projectSlug, name, kind, declaredType, stageSlugs } = found
  const stageNames = stageSlugs.map((slug) => project?.stages.find(({ stageSlug }) => stageSlug === slug)?.name ?? slug)
  return (
    <RecordRow>
      <RecordCell>
        <TextLink from="/o/$orgSlug" to="./p/$projectSlug" params={{ projectSlug }} search={{ search: name }} fw={600}>
          <bdi>{name}</bdi>
        </TextLink>
      </RecordCell>
      <RecordCell label="Project">{project?.name ?? projectSlug}</RecordCell>
      <RecordCell label="Stages">{stageNames.join(', ')}</RecordCell>
      <RecordCell label="Kind">
        {kindName(kind)}
        {declaredType !== undefined && ` · ${typeNames[declaredType]}`}
      </RecordCell>
    </RecordRow>
  )
}
