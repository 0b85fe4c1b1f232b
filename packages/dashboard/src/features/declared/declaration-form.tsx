import { Button, Checkbox, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { Stage } from '@rollkey/sdk/core'
import { declaredTypes, limits } from '@rollkey/contract/rules'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  type StatedDeclaration,
  checkKey,
  declarationsQuery,
  declare,
  deleteDeclaration,
} from '../../data/declarations.ts'
import { typeChoices } from '../../data/variables/labels.ts'
import { useScope } from '../../session/scope.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SubmitForm } from '../../ui/form.tsx'
import { MoreFields } from '../../ui/more-fields.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  type DeclarationDraft,
  declarationOf,
  exposureChoices,
  formatChoices,
  isConstrained,
  placeChoices,
  problemsOf,
} from './declaration-draft.ts'
import { labels } from './labels.ts'

const words = labels.form

interface DeclarationFormProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  readonly initial: DeclarationDraft
  /** The declaration that is replaced. Absent: the variable is not declared. */
  readonly declared?: StatedDeclaration | undefined
  /** Names that are declared already. */
  readonly taken: ReadonlySet<string>
  readonly onDone: () => void
}

/** Returns a mutation of the declarations of a project, after which the page reads them and the checks again. */
export function useDeclaring<Input>(projectSlug: string, change: (input: Input) => Promise<void>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries(declarationsQuery(scope, projectSlug)),
        queryClient.invalidateQueries({ queryKey: checkKey(scope, projectSlug) }),
      ]),
  })
}

/** Declares a variable, or changes its declaration. */
export function DeclarationForm(props: DeclarationFormProps) {
  const { projectSlug, stages, initial, declared, taken, onDone } = props
  const scope = useScope()
  const form = useForm<DeclarationDraft>({
    initialValues: initial,
    validate: (draft) => problemsOf(draft, declared ? new Set() : taken),
  })
  const save = useDeclaring(projectSlug, async (draft: DeclarationDraft) => {
    const declaration = declarationOf(draft)
    await declare(scope, projectSlug, declaration)
    toast.success(labels.done(declaration.name))
    onDone()
  })
  const text = (field: keyof DeclarationDraft & string) => ({
    ...form.getInputProps(field),
    label: words[field as 'owner'],
    autoComplete: 'off',
  })
  return (
    <SubmitForm
      form={form}
      mutation={save}
      label={declared ? labels.save : labels.submit}
      leading={declared && <DeleteButton projectSlug={projectSlug} declared={declared} onDone={onDone} />}
    >
      {!declared && <Text c="dimmed">{labels.text}</Text>}
      {!declared && (
        <TextInput
          {...text('name')}
          autoCapitalize="none"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          required
          data-autofocus={initial.name === '' || undefined}
        />
      )}
      <Textarea {...text('description')} maxLength={limits.descriptionCharacters} autosize minRows={1} maxRows={6} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NativeSelect {...form.getInputProps('declaredType')} label={words.type} data={typeItems} />
        <NativeSelect {...form.getInputProps('exposure')} label={words.exposure} data={exposureChoices} />
      </SimpleGrid>
      <RequiredField form={form} stages={stages} />
      <MoreFields label={words.more} isOpen={isConstrained(initial)}>
        <ConstraintFields form={form} />
      </MoreFields>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput {...text('owner')} description={words.ownerUse} />
        <TextInput {...text('rotateEveryDays')} inputMode="numeric" />
      </SimpleGrid>
      <TextInput {...text('example')} description={words.exampleUse} spellCheck={false} />
    </SubmitForm>
  )
}

const typeItems = [
  { value: '', label: words.anyType },
  ...declaredTypes.map((type) => ({ value: type, label: typeChoices[type] })),
]

interface OfFormProps {
  readonly form: UseFormReturnType<DeclarationDraft>
}

function RequiredField({ form, stages }: OfFormProps & Pick<DeclarationFormProps, 'stages'>) {
  return (
    <>
      <NativeSelect {...form.getInputProps('required')} label={words.required} data={placeChoices} />
      {form.values.required === 'some' && (
        <Checkbox.Group {...form.getInputProps('stages')} label={words.stages}>
          <Stack gap="xs" mt="xs">
            {stages.map(({ stageSlug, name }) => (
              <Checkbox key={stageSlug} value={stageSlug} label={name} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  )
}

function ConstraintFields({ form }: OfFormProps) {
  const code = { autoCapitalize: 'none', autoComplete: 'off', spellCheck: false, classNames: { input: 'mono' } }
  const bound = (field: 'minLength' | 'maxLength' | 'minimum' | 'maximum') => (
    <TextInput {...form.getInputProps(field)} label={words[field]} inputMode="decimal" autoComplete="off" />
  )
  return (
    <>
      <NativeSelect {...form.getInputProps('format')} label={words.format} data={formatChoices} />
      <TextInput {...form.getInputProps('pattern')} {...code} label={words.pattern} description={words.patternUse} />
      <Textarea
        {...form.getInputProps('enum')}
        {...code}
        label={words.enum}
        description={words.enumUse}
        autosize
        maxRows={10}
      />
      <SimpleGrid cols={2}>
        {bound('minLength')}
        {bound('maxLength')}
        {bound('minimum')}
        {bound('maximum')}
      </SimpleGrid>
    </>
  )
}

interface DeleteButtonProps extends Pick<DeclarationFormProps, 'projectSlug' | 'onDone'> {
  readonly declared: StatedDeclaration
}

function DeleteButton({ projectSlug, declared, onDone }: DeleteButtonProps) {
  const { name } = declared
  const scope = useScope()
  const [isAsking, { open, close }] = useDisclosure()
  const undo = useDeclaring(projectSlug, () => declare(scope, projectSlug, declared))
  const redo = useDeclaring(projectSlug, () => deleteDeclaration(scope, projectSlug, name))
  const deletion = useDeclaring(projectSlug, async () => {
    await deleteDeclaration(scope, projectSlug, name)
    toast.success(labels.delete.done(name), {
      undo: async () => {
        await undo.mutateAsync(undefined)
        return labels.done(name)
      },
      redo: () => redo.mutateAsync(undefined),
    })
    onDone()
  })
  return (
    <>
      <Button variant="default" c="var(--danger-text)" mr="auto" onClick={open}>
        {labels.delete.button}
      </Button>
      <ConfirmDialog
        title={labels.delete.title(name)}
        label={labels.delete.confirm}
        mutation={{ ...deletion, mutate: () => deletion.mutate(undefined) }}
        opened={isAsking}
        onClose={close}
      >
        {labels.delete.text}
      </ConfirmDialog>
    </>
  )
}
