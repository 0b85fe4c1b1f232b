import type { ListedDeclaration, Project } from '@rollkey/sdk/core'
import { Button, Group, Text } from '@mantine/core'
import { documentOfDeclarations } from '@rollkey/contract/rules'
import { useQueries, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { checkQuery, declarationsQuery } from '../../data/declarations.ts'
import { currentStages } from '../../data/projects/queries.ts'
import { canCopy, copyText, download } from '../../lib/browser.ts'
import { WithProject } from '../../parts/projects/with-project.tsx'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useCommands } from '../../ui/commands.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconAdd, IconCopy, IconDeclared, IconDownload, IconUpload } from '../../ui/icons.ts'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { type CheckedStage, notCompared, problemsByName } from './checks.ts'
import { DeclarationDrawer } from './declaration-drawer.tsx'
import { DeclarationsTable } from './declarations-table.tsx'
import { ImportDrawer } from './import-drawer.tsx'
import { labels } from './labels.ts'
import { useOpenDeclaration } from './use-open-declaration.ts'

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
      <DeclarationsTable declarations={declarations} problems={problems} project={project} mayWrite={mayWrite} />
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
