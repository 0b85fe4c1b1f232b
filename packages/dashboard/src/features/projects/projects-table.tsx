import { RecordTable } from '../../ui/record-table.tsx'
import type { Project } from './queries.ts'
import { ProjectRow } from './project-row.tsx'

interface ProjectsTableProps {
  readonly projects: readonly Project[]
}

export function ProjectsTable({ projects }: ProjectsTableProps) {
  return (
    <RecordTable label="Projects" columns={['Name', 'Stages', 'Variables', 'Last change', 'Actions']}>
      {projects.map((project) => (
        <ProjectRow key={project.projectSlug} project={project} />
      ))}
    </RecordTable>
  )
}
