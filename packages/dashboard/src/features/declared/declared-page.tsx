import type { ListedDeclaration, Project } from '@rollkey/sdk/core'
import { Button, Group, Text, UnstyledButton } from '@mantine/core'
import { documentOfDeclarations } from '@rollkey/contract/rules'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { checkQuery, declarationsQuery } from '../../data/declarations.ts'
import { currentStages } from '../../data/projects/queries.ts'
import { expectationsOf } from '../../data/variables/labels.ts'
import { useStageContents } from '../../data/variables/queries.ts'
import { canCopy, copyText, download } from '../../lib/browser.ts'
import { WithProject } from '../../parts/projects/with-project.tsx'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { TextLink } from '../../ui/buttons.tsx'
import { useCommands } from '../../ui/commands.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FormDrawer } from '../../ui/form.tsx'
import { IconAdd, IconCopy, IconDeclared, IconDownload, IconUpload } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { type CheckedStage, type NamedProblem, notCompared, problemsByName } from './checks.ts'
import { type Declarable, draftOf } from './declaration-draft.ts'
import { DeclarationForm } from './declaration-form.tsx'
import { ImportDrawer } from './import-drawer.tsx'
import { labels } from './labels.ts'
import classes from './declared.module.css'

/** Shows what a project expects of its variables, and which stages contradict it. */
export function DeclaredPage() {
  return <WithProject>{(project) => <DeclaredProject key={project.projectSlug} project={project} />}</WithProject>
}

interface OfProjectProps {
  readonly project: Project
}

/** What is open beside the page. */
type Open = 'new' | 'import' | undefined

function DeclaredProject({ project }: OfProjectProps) {
  const { projectSlug, archivedAtMs } = project
  const query = useQuery(declarationsQuery(useScope(), projectSlug))
  const mayWrite = useMay()('write', { projectSlug }) && archivedAtMs === undefined
  const [isOpen, setOpen] = useState<Open>()
  const declarations = query.data ?? []
  const buttons = mayWrite && (
    <>
      <Button variant="default" leftSection={<IconUpload />} onClick={() => setOpen('import')}>
        {labels.import.button}
      </Button>
      <DeclareButton onClick={() => setOpen('new')} />
    </>
  )
  return (
    <Page
      title={labels.title(project.name)}
      lead={labels.lead}
      actions={
        declarations.length > 0 && (
          <>
            <DocumentButtons projectSlug={projectSlug} declarations={declarations} />
            {buttons}
          </>
        )
      }
    >
      <LoadError error={query.error} />
      {query.isPending && <RowsSkeleton />}
      {query.data && (
        <Contents
          project={project}
          declarations={query.data}
          mayWrite={mayWrite}
          none={<Group gap="xs">{buttons}</Group>}
        />
      )}
      {query.data && mayWrite && (
        <Drawers project={project} declarations={query.data} open={isOpen} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  )
}

interface DrawersProps extends OfProjectProps {
  readonly declarations: readonly ListedDeclaration[]
  readonly open: Open
  readonly onClose: () => void
}

function Drawers({ project, declarations, open, onClose }: DrawersProps) {
  return (
    <>
      <DeclarationDrawer project={project} declarations={declarations} isNew={open === 'new'} onClose={onClose} />
      <ImportDrawer
        projectSlug={project.projectSlug}
        stages={currentStages(project)}
        declarations={declarations}
        opened={open === 'import'}
        onClose={onClose}
      />
    </>
  )
}

function DeclareButton({ onClick }: { readonly onClick: () => void }) {
  useCommands([{ id: 'declare', label: labels.declare, keys: 'n', icon: IconDeclared, run: onClick }])
  return (
    <Button leftSection={<IconAdd size={16} />} onClick={onClick}>
      {labels.declare}
    </Button>
  )
}

interface DocumentButtonsProps {
  readonly projectSlug: string
  readonly declarations: readonly ListedDeclaration[]
}

/** Copies and downloads the declarations as people keep them in git. */
function DocumentButtons({ projectSlug, declarations }: DocumentButtonsProps) {
  const text = (): string => `${JSON.stringify(documentOfDeclarations(declarations), null, 2)}\n`
  const copy = async (): Promise<void> => {
    try {
      await copyText(Promise.resolve(text()))
      toast.success(labels.copied)
    } catch (error) {
      toast.error(error)
    }
  }
  return (
    <>
      {canCopy() && (
        <Button variant="default" leftSection={<IconCopy />} onClick={() => void copy()}>
          {labels.copy}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconDownload />}
        onClick={() => download(new Blob([text()], { type: 'application/json' }), `${projectSlug}.declarations.json`)}
      >
        {labels.download}
      </Button>
    </>
  )
}

interface ContentsProps extends OfProjectProps {
  readonly declarations: readonly ListedDeclaration[]
  readonly mayWrite: boolean
  /** What to do where nothing is declared. */
  readonly none: ReactNode
}

/** Compares the stages with the declarations, once these are there. */
function Contents({ project, declarations, mayWrite, none }: ContentsProps) {
  const checked = useChecks(project)
  if (declarations.length === 0) {
    return (
      <EmptyState
        icon={IconDeclared}
        title={labels.none}
        action={none}
        command={{ what: labels.noneCommand, text: labels.noneCommandText }}
      >
        {labels.noneText}
      </EmptyState>
    )
  }
  const problems = problemsByName(checked)
  const hidden = notCompared(checked)
  const names = [...problems].flatMap(([name, [first]]) => (first?.problem === 'undeclared' ? name : []))
  return (
    <>
      <Declarations declarations={declarations} problems={problems} project={project} mayWrite={mayWrite} />
      {hidden.length > 0 && (
        <Text size="sm" c="dimmed">
          {labels.notCompared(hidden)}
        </Text>
      )}
      {names.length > 0 && <Undeclared names={names} mayWrite={mayWrite} />}
    </>
  )
}

function useChecks(project: Project): readonly CheckedStage[] {
  const scope = useScope()
  const { projectSlug } = project
  const stages = currentStages(project)
  const results = useQueries({
    queries: stages.map(({ stageSlug }) => checkQuery(scope, { projectSlug, stageSlug })),
  })
  return stages.map((stage, at) => ({ stage, check: results[at]?.data }))
}

interface DeclarationsProps extends Pick<ContentsProps, 'project' | 'declarations' | 'mayWrite'> {
  readonly problems: ReadonlyMap<string, readonly NamedProblem[]>
}

function Declarations({ project, declarations, problems, mayWrite }: DeclarationsProps) {
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

interface ProblemsProps extends OfProjectProps {
  readonly name: string
  readonly problems: readonly NamedProblem[]
}

/** Leads to the variable, where the problems are mended. */
function Problems({ project, name, problems }: ProblemsProps) {
  const [first] = problems
  if (!first)
    return (
      <Text span c="dimmed">
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

interface UndeclaredProps {
  readonly names: readonly string[]
  readonly mayWrite: boolean
}

function Undeclared({ names, mayWrite }: UndeclaredProps) {
  const open = useOpenDeclaration()
  return (
    <Section title={labels.undeclared} lead={labels.undeclaredLead}>
      <Group gap="xs">
        {names.map((name) =>
          mayWrite ? (
            <Button
              key={name}
              variant="default"
              size="xs"
              className="mono"
              aria-label={labels.declareNamed(name)}
              onClick={() => open(name)}
            >
              {name}
            </Button>
          ) : (
            <code key={name}>{name}</code>
          ),
        )}
      </Group>
    </Section>
  )
}

const page = '/signed-in/o/$orgSlug/p/$projectSlug/declared'

/** Returns a function that opens a declaration in the address; without a name, none. */
function useOpenDeclaration(): (name: string | undefined) => void {
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/declared' })
  return (name) => void navigate({ search: name === undefined ? {} : { name }, replace: true, resetScroll: false })
}

interface DeclarationDrawerProps extends OfProjectProps {
  readonly declarations: readonly ListedDeclaration[]
  /** Whether the form of a name that no one has chosen is open. */
  readonly isNew: boolean
  readonly onClose: () => void
}

/** Shows the form of a new declaration, or of the one that the address names. */
function DeclarationDrawer({ project, declarations, isNew, onClose }: DeclarationDrawerProps) {
  const { name } = useSearch({ from: page })
  const open = useOpenDeclaration()
  const close = (): void => {
    onClose()
    open(undefined)
  }
  const declared = declarations.find((each) => each.name === name)
  return (
    <FormDrawer
      opened={isNew || name !== undefined}
      onClose={close}
      title={isNew || name === undefined ? labels.declare : labels.edit(name)}
    >
      {isNew || name === undefined ? (
        <Form project={project} declarations={declarations} given={{ name: '' }} onDone={close} />
      ) : declared ? (
        <Form
          key={`${name} ${declared.updatedAtMs}`}
          project={project}
          declarations={declarations}
          given={declared}
          declared={declared}
          onDone={close}
        />
      ) : (
        <OfVariable project={project} declarations={declarations} name={name} onDone={close} />
      )}
    </FormDrawer>
  )
}

interface FormProps extends Pick<DeclarationDrawerProps, 'project' | 'declarations'> {
  readonly given: Declarable
  readonly declared?: ListedDeclaration
  readonly onDone: () => void
}

function Form({ project, declarations, given, declared, onDone }: FormProps) {
  const { updatedAtMs: _at, updatedBy: _by, ...stated } = declared ?? {}
  return (
    <DeclarationForm
      projectSlug={project.projectSlug}
      stages={currentStages(project)}
      initial={draftOf(given)}
      declared={declared && { ...stated, name: declared.name }}
      taken={new Set(declarations.map(({ name }) => name))}
      onDone={onDone}
    />
  )
}

/** Begins with what a variable that is not declared says about itself. */
function OfVariable({ name, ...of }: Omit<FormProps, 'given' | 'declared'> & { readonly name: string }) {
  const { stages, error } = useStageContents(of.project)
  if (!stages) return error ? <LoadError error={error} /> : <RowsSkeleton />
  const variable = stages.flatMap(({ contents }) => contents.variables.find((each) => each.name === name) ?? [])[0]
  const { declaredType, exposure, description } = variable ?? {}
  return <Form key={name} {...of} given={{ name, declaredType, exposure, description }} />
}
