import type { ListedDeclaration, Project } from '@rollkey/sdk/core'
import { Text, UnstyledButton } from '@mantine/core'
import { expectationsOf } from '../../data/variables/labels.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import type { NamedProblem } from './checks.ts'
import { labels } from './labels.ts'
import { useOpenDeclaration } from './use-open-declaration.ts'
import classes from './declared.module.css'

interface DeclarationsTableProps {
  readonly project: Project
  readonly declarations: readonly ListedDeclaration[]
  readonly mayWrite: boolean
  readonly problems: ReadonlyMap<string, readonly NamedProblem[]>
}

/** Lists what is declared, and how the stages contradict it. */
export function DeclarationsTable({ project, declarations, problems, mayWrite }: DeclarationsTableProps) {
  const has = (field: 'owner' | 'rotateEveryDays'): boolean => declarations.some((each) => each[field] !== undefined)
  const columns: Column<ListedDeclaration>[] = [
    { key: 'name', header: labels.variable, cell: (each) => <DeclaredName declaration={each} mayWrite={mayWrite} /> },
    { key: 'expected', header: labels.expected, cell: (each) => <Expected declaration={each} /> },
    {
      key: 'required',
      header: labels.required,
      cell: ({ required }) => (required === undefined ? labels.nowhere : labels.requiredIn(required)),
    },
    {
      key: 'problems',
      header: labels.problems,
      cell: ({ name }) => <Problems project={project} name={name} problems={problems.get(name) ?? []} />,
    },
    ...(has('owner') ? [{ key: 'owner', header: labels.owner, cell: ({ owner }: ListedDeclaration) => owner }] : []),
    ...(has('rotateEveryDays')
      ? [
          {
            key: 'rotation',
            header: labels.rotation,
            cell: ({ rotateEveryDays }: ListedDeclaration) =>
              rotateEveryDays !== undefined && labels.rotates(rotateEveryDays),
          },
        ]
      : []),
  ]
  return <DataTable label={labels.list} rows={declarations} keyOf={({ name }) => name} columns={columns} />
}

interface DeclaredNameProps {
  readonly declaration: ListedDeclaration
  readonly mayWrite: boolean
}

function DeclaredName({ declaration: { name, description }, mayWrite }: DeclaredNameProps) {
  const open = useOpenDeclaration()
  const content = (
    <>
      <Text fw={500} className="wrapping mono">
        {name}
      </Text>
      {description !== undefined && (
        <Text size="sm" c="dimmed" className="wrapping">
          {description}
        </Text>
      )}
    </>
  )
  return mayWrite ? <UnstyledButton onClick={() => open(name)}>{content}</UnstyledButton> : content
}

function Expected({ declaration }: { readonly declaration: ListedDeclaration }) {
  const { exposure, example } = declaration
  const lines = [
    ...expectationsOf(declaration).map((each) => labels.must(each)),
    ...(exposure === undefined ? [] : [labels.exposureAtMost[exposure]]),
  ]
  return (
    <div className="wrapping">
      {lines.length === 0 && labels.anything}
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {example !== undefined && (
        <Text size="sm" c="dimmed">
          {labels.example(example)}
        </Text>
      )}
    </div>
  )
}

interface ProblemsProps {
  readonly project: Project
  readonly name: string
  readonly problems: readonly NamedProblem[]
}

/** Leads to the variable, where the problems are mended. */
function Problems({ project, name, problems }: ProblemsProps) {
  const [first] = problems
  if (!first)
    return (
      <Text span size="sm" c="dimmed">
        {labels.noProblem}
      </Text>
    )
  return (
    <TextLink
      from="/o/$orgSlug"
      to="./p/$projectSlug"
      params={{ projectSlug: project.projectSlug }}
      search={{ variable: name, stage: first.stageSlug }}
      className={classes['problems']}
    >
      {problems.map(({ text }) => (
        <span key={text}>{text}</span>
      ))}
    </TextLink>
  )
}
