import { Button, List, Stack, Text, Textarea, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Stage } from '@rollkey/sdk/core'
import {
  type Declaration,
  type DeclarationsDocument,
  declarationsOfDocument,
  differenceOfDeclarations,
} from '@rollkey/contract/rules'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { checkDocument, replaceDeclarations } from '../../data/declarations.ts'
import { useScope } from '../../session/scope.ts'
import { BusyButton } from '../../ui/buttons.tsx'
import { FormDrawer, FormFooter, SubmitForm, useUnsaved } from '../../ui/form.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { type CheckedStage, notCompared, problemsByName } from './checks.ts'
import { useDeclaring } from './declaration-form.tsx'
import { labels } from './labels.ts'

const words = labels.import

interface ImportProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  readonly declarations: readonly Declaration[]
}

interface ImportDrawerProps extends ImportProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Replaces the declarations of a project by a document, after its effects were seen. */
export function ImportDrawer({ opened, onClose, ...of }: ImportDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={words.title}>
      <Import {...of} onDone={onClose} />
    </FormDrawer>
  )
}

/** A document whose effects are known. */
interface Reviewed {
  readonly document: DeclarationsDocument
  readonly declarations: readonly Declaration[]
  readonly checked: readonly CheckedStage[]
}

function Import({ onDone, ...of }: ImportProps & { readonly onDone: () => void }) {
  const scope = useScope()
  const [reviewed, setReviewed] = useState<Reviewed>()
  const form = useForm({ initialValues: { document: '' }, validate: { document: problemOfText } })
  const review = useMutation({
    mutationFn: async ({ document: text }: { document: string }) => {
      const document = JSON.parse(text) as DeclarationsDocument
      const read = declarationsOfDocument(document)
      // The service checks each declaration, so those that it compared with are whole.
      const checked = await Promise.all(
        of.stages.map(async (stage) => ({
          stage,
          check: await checkDocument(scope, { projectSlug: of.projectSlug, stageSlug: stage.stageSlug }, document),
        })),
      )
      const declarations = 'declarations' in read ? (read.declarations as readonly Declaration[]) : []
      setReviewed({ document, declarations, checked })
    },
  })
  if (reviewed) return <Review {...of} reviewed={reviewed} onBack={() => setReviewed(undefined)} onDone={onDone} />
  return (
    <SubmitForm form={form} mutation={review} label={words.review}>
      <Text>{words.text}</Text>
      <Textarea
        {...form.getInputProps('document')}
        label={words.document}
        description={words.documentUse}
        classNames={{ input: 'mono' }}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        rows={16}
        required
        data-autofocus
      />
    </SubmitForm>
  )
}

function problemOfText(text: string): string | null {
  try {
    const read = declarationsOfDocument(JSON.parse(text))
    return 'problem' in read ? words.wrong(read.problem) : null
  } catch {
    return words.notJson
  }
}

interface ReviewProps extends ImportProps {
  readonly reviewed: Reviewed
  readonly onBack: () => void
  readonly onDone: () => void
}

/** Shows what a document changes, and what in the stages contradicts it. */
function Review({ projectSlug, declarations, reviewed, onBack, onDone }: ReviewProps) {
  const scope = useScope()
  const { added, changed, removed } = differenceOfDeclarations(declarations, reviewed.declarations)
  const store = useDeclaring(projectSlug, async () => {
    await replaceDeclarations(scope, projectSlug, reviewed.document)
    toast.success(words.done(reviewed.declarations.length))
    onDone()
  })
  const isSame = added.length + changed.length + removed.length === 0
  useUnsaved(!isSame && !store.isPending && !store.isSuccess)
  const problems = [...problemsByName(reviewed.checked).values()]
    .flat()
    .filter(({ problem }) => problem !== 'undeclared')
  const hidden = notCompared(reviewed.checked)
  return (
    <Stack>
      <Title order={3}>{words.changes}</Title>
      {isSame && <Text>{words.same}</Text>}
      <List className="wrapping">
        {added.length > 0 && <List.Item>{words.added(added)}</List.Item>}
        {changed.length > 0 && <List.Item>{words.changed(changed)}</List.Item>}
        {removed.length > 0 && <List.Item c="var(--danger-text)">{words.removed(removed)}</List.Item>}
      </List>
      <Title order={3}>{words.contradicts}</Title>
      {problems.length === 0 && <Text>{words.fits}</Text>}
      <List className="wrapping">
        {problems.map(({ name, text }) => (
          <List.Item key={`${name} ${text}`}>
            <code>{name}</code>: {text}
          </List.Item>
        ))}
      </List>
      {hidden.length > 0 && <Notice kind="info">{labels.notCompared(hidden)}</Notice>}
      <ErrorNotice error={store.error} />
      <FormFooter>
        <Button variant="default" onClick={onBack}>
          {words.back}
        </Button>
        <BusyButton disabled={isSame} isBusy={store.isPending} onClick={() => store.mutate(undefined)}>
          {words.store}
        </BusyButton>
      </FormFooter>
    </Stack>
  )
}
