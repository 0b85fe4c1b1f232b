import type { ListedDeclaration, Project } from '@rollkey/sdk/core'
import { useSearch } from '@tanstack/react-router'
import { currentStages } from '../../data/projects/queries.ts'
import { useStageContents } from '../../data/variables/queries.ts'
import { FormDrawer } from '../../ui/form.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { type Declarable, draftOf } from './declaration-draft.ts'
import { DeclarationForm } from './declaration-form.tsx'
import { labels } from './labels.ts'
import { useOpenDeclaration } from './use-open-declaration.ts'

const page = '/signed-in/o/$orgSlug/p/$projectSlug/declared'

interface DeclarationDrawerProps {
  readonly project: Project
  readonly declarations: readonly ListedDeclaration[]
  /** Whether the form of a name that no one has chosen is open. */
  readonly isNew: boolean
  readonly onClose: () => void
}

/** Shows the form of a new declaration, or of the one that the address names. */
export function DeclarationDrawer({ project, declarations, isNew, onClose }: DeclarationDrawerProps) {
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
