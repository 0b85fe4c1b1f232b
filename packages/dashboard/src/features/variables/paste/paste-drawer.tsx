import type { Project, Stage } from '@rollkey/sdk/core'
import {
  Box,
  Button,
  FileButton,
  Group,
  Input,
  NativeSelect,
  type NativeSelectProps,
  Stack,
  Switch,
  Text,
  Title,
} from '@mantine/core'
import {
  compareCodePoints,
  type Declaration,
  declaredTypes,
  decodeFile,
  exposures,
  limits,
} from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import {
  type DragEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { BusyButton } from '../../../ui/buttons.tsx'
import { focusOn } from '../../../ui/focus.ts'
import { ErrorNotice, Notice } from '../../../ui/notice.tsx'
import { FormDrawer, FormFooter, useLeave, useUnsaved } from '../../../ui/form.tsx'
import { RowsSkeleton } from '../../../ui/loading.tsx'
import { Name } from '../../../ui/name.tsx'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { cellFocus } from '../../../data/projects/commands.ts'
import { declarationsQuery } from '../../../data/declarations.ts'
import { useScope } from '../../../session/scope.ts'
import { useWaitingProposals } from '../../../data/proposals/queries.ts'
import type { PendingChange } from '../../../data/unsaved-changes/change-set.ts'
import { isIn, type SaveState, useSave } from '../../../data/variables/use-save.ts'
import type { Saved } from '../../../data/variables/write.ts'
import { MissingStages } from '../../../parts/access/missing-stages.tsx'
import { ProductionNotice } from '../../../parts/projects/production-notice.tsx'
import { type Proposing, useProposing } from '../../../parts/proposing/use-proposing.tsx'
import { labels as editor } from '../editor/labels.ts'
import { SaveFailures } from '../editor/save-failures.tsx'
import { StageChoice } from '../editor/variable-inputs.tsx'
import { rowsOf } from '../../../data/variables/comparison.ts'
import { typeNames } from '../../../data/variables/labels.ts'
import { usePlainValues } from '../plain-values.ts'
import { useStageContents } from '../../../data/variables/queries.ts'
import classes from './paste-drawer.module.css'
import { labels } from './labels.ts'
import {
  type Choices,
  type LineProblem,
  pasted,
  type PastedAttributes,
  type PastedEffect,
  type PastedName,
  type PasteTarget,
} from './paste.ts'

const noValues: PasteTarget['plain'] = new Map()
/** Number of characters from which reading a text takes longer than a key may. */
const longText = 20_000

interface PasteDrawerProps {
  readonly project: Project
  readonly opened: boolean
  readonly onClose: () => void
}

export function PasteDrawer({ project, opened, onClose }: PasteDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={labels.title}>
      <Paste project={project} onDone={onClose} />
    </FormDrawer>
  )
}

interface PasteProps {
  readonly project: Project
  readonly onDone: () => void
}

function Paste({ project, onDone }: PasteProps) {
  const { stages, error } = useStageContents(project)
  if (!stages) return error ? <ErrorNotice error={error} /> : <RowsSkeleton />
  return (
    <Stack>
      <MissingStages projectSlug={project.projectSlug} />
      <PasteForm project={project} stages={stages} onDone={onDone} />
    </Stack>
  )
}

interface PasteFormProps extends PasteProps {
  readonly stages: NonNullable<ReturnType<typeof useStageContents>['stages']>
}

/** Shows a text, its problems, and its effect on the chosen stages, which is the review: the button saves. */
function PasteForm({ project, stages, onDone }: PasteFormProps) {
  const { projectSlug } = project
  const paste = usePaste(project, stages, onDone)
  const { text, targets, found, save, proposing, isTooMuch } = paste
  const { names, writes, problems, notices, skipped, harmless } = found
  const targetStages = targets.map(({ stage }) => stage)
  const changed = [...new Set(writes.flatMap(({ entries }) => entries.map(({ name }) => name)))]
  const leave = useLeave()
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        paste.submit()
      }}
    >
      {proposing.notice}
      {stages.length > 1 && (
        <StageChoice
          projectSlug={projectSlug}
          stages={stages}
          chosen={paste.slugs}
          saved={save.saved}
          onChange={paste.setSlugs}
        />
      )}
      <EnvEditor value={text} onChange={paste.setText} problems={problems} />
      <Findings
        {...{ problems, skipped, notices }}
        isEmpty={text.trim() !== '' && names.length === 0 && problems.length === 0}
        onSkip={names.some(({ isRefused }) => isRefused !== true) ? paste.skip : undefined}
      />
      {found.isUnusual && (
        <Switch label={labels.anyName} checked={paste.allowsAnyName} onChange={paste.toggleAnyName} />
      )}
      {isTooMuch && <Notice kind="error">{labels.tooMany(names.length)}</Notice>}
      {names.length > 0 && !isTooMuch && (
        <Preview {...{ projectSlug, names, targets, harmless }} onChoice={paste.choose} />
      )}
      <Text size="sm" c="dimmed">
        {labels.kept}
      </Text>
      {proposing.reasonField}
      <ProductionNotices stages={targetStages} proposing={proposing} />
      <SaveFailures save={save} stages={stages} />
      <FormFooter>
        <Button variant="default" onClick={() => leave(onDone)}>
          {labels.cancel}
        </Button>
        <Unsaved count={problems.length} />
        <BusyButton type="submit" disabled={changed.length === 0} isBusy={save.isPending}>
          {proposing.label(targetStages, (saved) => labels.save(changed, saved))}
        </BusyButton>
      </FormFooter>
    </Stack>
  )
}

/** Says why the button does not save. `count`: of wrong lines. */
function Unsaved({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <Text size="sm" className={classes['reason'] ?? ''}>
      {labels.mend(count)}
    </Text>
  )
}

interface ProductionNoticesProps {
  readonly stages: readonly Stage[]
  readonly proposing: Proposing
}

/** Says which production stages are changed at once. */
function ProductionNotices({ stages, proposing }: ProductionNoticesProps) {
  return stages
    .filter(({ isProduction, stageSlug }) => isProduction && proposing.reasonIn(stageSlug) === undefined)
    .map(({ stageSlug, name }) => <ProductionNotice key={stageSlug} stage={name} />)
}

/** Returns what the person entered and what comes of it, and how to save that. */
function usePaste(project: Project, stages: PasteFormProps['stages'], onDone: () => void) {
  const { projectSlug } = project
  const [slugs, setSlugs] = useState<readonly string[]>(stages.slice(0, 1).map(({ stage }) => stage.stageSlug))
  const [text, setText] = useState('')
  const [allowsAnyName, setAllowsAnyName] = useState(false)
  const [choices, setChoices] = useState<Choices>({})
  const [skips, setSkips] = useState<readonly LineProblem[]>([])
  const save = useSavePasted(stages, onDone)
  const targets = useTargets(project, stages, slugs, save.done)
  const declared = useDeclarations(projectSlug)
  const rules = useMemo(() => ({ allowsAnyName, choices, skips, declared }), [allowsAnyName, choices, skips, declared])
  const { latest, ...found } = usePasted(text, targets, rules)
  const proposing = useProposing(
    projectSlug,
    targets.map(({ stage }) => stage),
  )
  const isTooMuch = found.names.length > limits.entries
  useUnsaved(text !== '')
  return {
    slugs,
    setSlugs,
    text,
    setText,
    allowsAnyName,
    toggleAnyName: () => setAllowsAnyName((allows) => !allows),
    targets,
    found,
    save,
    proposing,
    isTooMuch,
    choose: useCallback<PreviewProps['onChoice']>(
      (name, choice) => setChoices((all) => ({ ...all, [name]: { ...all[name], ...choice } })),
      [],
    ),
    skip: () => setSkips([...skips, ...found.problems]),
    submit: () => {
      // What was just typed may have a problem, which the form then shows.
      const { writes } = latest()
      if (writes.length === 0 || save.isPending || !proposing.check()) return
      save.mutate(
        writes.map(({ stageSlug, entries, seen }) => {
          const place = { projectSlug, stageSlug }
          return { place, content: { entries }, seen: save.seenNow(place, seen), reason: proposing.reasonIn(stageSlug) }
        }),
      )
    },
  }
}

function isSaved(saved: readonly Saved[], { stageSlug, name }: PendingChange): boolean {
  return saved.some(({ place, names }) => place.stageSlug === stageSlug && names.includes(name))
}

/** Returns the save of pasted variables, which replaces unsaved changes of them. */
function useSavePasted(stages: PasteFormProps['stages'], onDone: () => void): SaveState {
  const { pending, remove } = useChanges()
  const stagesOf = (saved: readonly Saved[]) =>
    stages.map(({ stage }) => stage).filter(({ stageSlug }) => saved.some(({ place }) => place.stageSlug === stageSlug))
  return useSave({
    textOf: (saved) => labels.saved([...new Set(saved.flatMap(({ names }) => names))], stagesOf(saved)),
    onSaved: (saved) => {
      remove(pending.filter((change) => isSaved(saved, change)))
      onDone()
      const [first] = saved
      if (first) focusOn(cellFocus(first.place.stageSlug, first.names.toSorted(compareCodePoints)[0] ?? ''))
    },
  })
}

/** Reads the text. A key is shown before a long text is read again; `latest` reads it in any case. */
function usePasted(...[text, targets, rules]: Required<Parameters<typeof pasted>>) {
  const deferred = useDeferredValue(text)
  const read = text.length > longText ? deferred : text
  const found = useMemo(() => pasted(read, targets, rules), [read, targets, rules])
  const latest = () => (read === text ? found : pasted(text, targets, rules))
  return { ...found, latest }
}

/** Returns what the project expects of its variables, by their names. */
function useDeclarations(projectSlug: string): ReadonlyMap<string, Declaration> {
  const { data = noDeclarations } = useQuery(declarationsQuery(useScope(), projectSlug))
  return useMemo(() => new Map(data.map((each) => [each.name, each])), [data])
}

const noDeclarations: readonly Declaration[] = []

/** Returns the chosen stages that are not done, production last, with their plain values. */
function useTargets(
  { projectSlug }: Project,
  stages: PasteFormProps['stages'],
  slugs: readonly string[],
  done: SaveState['done'],
) {
  const rows = useMemo(() => rowsOf(stages.map(({ contents }) => contents.variables)), [stages])
  const all = useMemo(() => stages.map(({ stage }) => stage), [stages])
  const plain = usePlainValues(projectSlug, all, rows)
  return useMemo(
    () =>
      stages
        .map((each, at) => ({ ...each, plain: plain[at]?.values ?? noValues }))
        .filter(({ stage: { stageSlug } }) => slugs.includes(stageSlug) && !isIn(done, { projectSlug, stageSlug }))
        .toSorted((one, other) => Number(one.stage.isProduction) - Number(other.stage.isProduction)),
    [projectSlug, stages, plain, slugs, done],
  )
}

interface FindingsProps {
  readonly problems: readonly LineProblem[]
  /** Problems of the lines that are left out. */
  readonly skipped: readonly LineProblem[]
  readonly notices: readonly LineProblem[]
  /** Whether the text has neither variables nor problems. */
  readonly isEmpty: boolean
  /** Leaves out the wrong lines. Undefined: there are no others. */
  readonly onSkip: (() => void) | undefined
}

/** Shows what is wrong with a text, what is left out of it, and what is not exactly as in it. */
function Findings({ problems, skipped, notices, isEmpty, onSkip }: FindingsProps) {
  return (
    <Stack role="status">
      <Problems kind="warning" problems={problems} title={labels.lines}>
        {onSkip && <OnceButton onClick={onSkip}>{labels.skip(problems.length)}</OnceButton>}
      </Problems>
      <Problems kind="info" problems={skipped} title={labels.skipped} />
      <Problems kind="info" problems={notices} title={labels.notices} />
      {isEmpty && <Notice kind="info">{labels.noVariables}</Notice>}
    </Stack>
  )
}

interface ProblemsProps {
  readonly kind: 'warning' | 'info'
  readonly problems: readonly LineProblem[]
  readonly title: (count: number) => string
  /** What helps. */
  readonly children?: ReactNode
}

/** Lists lines with what is wrong or was left out. */
function Problems({ kind, problems, title, children }: ProblemsProps) {
  if (problems.length === 0) return null
  return (
    <Notice kind={kind} title={title(problems.length)}>
      <Stack align="flex-start" gap="xs">
        <Stack component="ul" className="plain-list wrapping" gap={2}>
          {problems.map(({ line, text }) => (
            <li key={`${line} ${text}`}>{labels.line(line, text)}</li>
          ))}
        </Stack>
        {children}
      </Stack>
    </Notice>
  )
}

interface OnceButtonProps {
  readonly onClick: () => void
  readonly children: ReactNode
}

/** A button that is gone after its click, so that the focus goes on to the one that saves. */
function OnceButton({ onClick, children }: OnceButtonProps) {
  const click = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>): void => {
    // That button is enabled then.
    flushSync(onClick)
    form?.querySelector<HTMLElement>('[type=submit]')?.focus()
  }
  return (
    <Button size="compact-sm" variant="default" onClick={click}>
      {children}
    </Button>
  )
}

interface PreviewProps {
  readonly projectSlug: string
  readonly names: readonly PastedName[]
  readonly targets: readonly PasteTarget[]
  /** Names of new variables that need no mask. */
  readonly harmless: readonly string[]
  readonly onChoice: (name: string, choice: Partial<PastedAttributes>) => void
}

function Preview({ projectSlug, names, targets, harmless, onChoice }: PreviewProps) {
  const id = useId()
  const waiting = useWaitingProposals(projectSlug)
  const isWaiting = (name: string): boolean =>
    targets.some(({ stage }) => waiting.get(stage.stageSlug)?.has(name) === true)
  const showHarmless = (): void => {
    for (const name of harmless) onChoice(name, { exposure: 'plain' })
  }
  const counts = targets.map(({ stage }, at) => {
    const count = (effect: PastedEffect['effect']) =>
      names.filter(({ effects, isRefused }) => isRefused !== true && effects[at]?.effect === effect).length
    return labels.counts(stage.name, { new: count('new'), changed: count('changed'), same: count('same') })
  })
  return (
    <Stack gap={4}>
      <Title id={id} order={3} size="h4">
        {labels.preview}
      </Title>
      <Text size="sm" c="dimmed" role="status">
        {counts.join(' · ')}
      </Text>
      {harmless.length > 0 && (
        <Group gap="xs" my={4}>
          <OnceButton onClick={showHarmless}>{labels.harmless(harmless.length)}</OnceButton>
          <Text size="sm" c="dimmed" className="wrapping">
            {labels.harmlessNames(harmless)}
          </Text>
        </Group>
      )}
      <NewExposure names={names} onChoice={onChoice} />
      {/* It scrolls where it is long. */}
      <Box component="ul" className={classes['preview']} aria-labelledby={id} tabIndex={0}>
        {names.map((each) => (
          <PreviewItem
            key={each.name}
            name={each.name}
            declaredType={each.attributes?.declaredType}
            exposure={each.attributes?.exposure}
            isRefused={each.isRefused === true}
            effect={
              each.isRefused === true
                ? labels.refused
                : [effectsText(each), ...(isWaiting(each.name) ? [labels.waiting] : [])].join(labels.separator)
            }
            onChoice={onChoice}
          />
        ))}
      </Box>
    </Stack>
  )
}

/** Chooses the visibility of all new variables at once. */
function NewExposure({ names, onChoice }: Pick<PreviewProps, 'names' | 'onChoice'>) {
  const added = names.flatMap(({ name, attributes }) => (attributes ? [{ name, ...attributes }] : []))
  const [first] = added
  if (!first || added.length < 2) return null
  const isMixed = added.some(({ exposure }) => exposure !== first.exposure)
  return (
    <Group component="label" justify="space-between" gap="xs" className={classes['all'] ?? ''}>
      {labels.visibilityOfNew}
      <ExposureSelect
        value={isMixed ? undefined : first.exposure}
        onChange={(exposure) => {
          for (const { name } of added) onChoice(name, { exposure })
        }}
      />
    </Group>
  )
}

/** They look like those of a form, and are as low as a row. */
const selectProps = { size: 'xs', className: classes['attribute'] ?? '' } as const

interface ExposureSelectProps extends Pick<NativeSelectProps, 'aria-label'> {
  /** Undefined: several. */
  readonly value: PastedAttributes['exposure'] | undefined
  readonly onChange: (exposure: PastedAttributes['exposure']) => void
}

function ExposureSelect({ value, onChange, ...props }: ExposureSelectProps) {
  return (
    <NativeSelect
      {...props}
      {...selectProps}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value as PastedAttributes['exposure'])}
    >
      {value === undefined && (
        <option value="" disabled>
          {labels.mixed}
        </option>
      )}
      {exposures.map((each) => (
        <option key={each} value={each}>
          {editor.exposures[each]}
        </option>
      ))}
    </NativeSelect>
  )
}

interface PreviewItemProps {
  /** What a new variable is. */
  readonly declaredType: PastedAttributes['declaredType'] | undefined
  readonly exposure: PastedAttributes['exposure'] | undefined
  readonly name: string
  readonly effect: string
  /** Whether its line is wrong. */
  readonly isRefused: boolean
  readonly onChoice: PreviewProps['onChoice']
}

/** One of a thousand, which stays as it is while another line is typed. */
const PreviewItem = memo(function PreviewItem({
  name,
  declaredType,
  exposure,
  effect,
  isRefused,
  onChoice,
}: PreviewItemProps) {
  return (
    <li className={classes['item']} data-refused={isRefused}>
      <Name>{name}</Name>
      {declaredType !== undefined && exposure !== undefined && (
        <Attributes name={name} attributes={{ declaredType, exposure }} onChoice={(choice) => onChoice(name, choice)} />
      )}
      <span className={classes['effect']}>{effect}</span>
    </li>
  )
})

interface AttributesProps {
  readonly name: string
  readonly attributes: PastedAttributes
  readonly onChoice: (choice: Partial<PastedAttributes>) => void
}

/** Chooses what a new variable is. There may be a thousand, so the browser shows the choices. */
function Attributes({ name, attributes: { declaredType, exposure }, onChoice }: AttributesProps) {
  return (
    <span className={classes['attributes']}>
      <NativeSelect
        {...selectProps}
        aria-label={labels.typeOf(name)}
        value={declaredType}
        onChange={({ currentTarget }) => onChoice({ declaredType: currentTarget.value as typeof declaredType })}
      >
        <option value="">{editor.untyped}</option>
        {declaredTypes.map((type) => (
          <option key={type} value={type}>
            {typeNames[type]}
          </option>
        ))}
      </NativeSelect>
      <ExposureSelect
        aria-label={labels.visibilityOf(name)}
        value={exposure}
        onChange={(chosen) => onChoice({ exposure: chosen })}
      />
    </span>
  )
}

/** Returns the effects of a name, said once where they are the same in all stages. */
function effectsText({ value, effects }: PastedName): string {
  const texts = effects.map((effect) => effectText(effect, value))
  if (new Set(texts).size <= 1) return texts[0] ?? ''
  return effects.map(({ stageName }, at) => labels.inStage(stageName, texts[at] ?? '')).join(labels.separator)
}

function effectText({ effect, kind, before }: PastedEffect, value: string): string {
  if (effect !== 'changed') return labels.effects[effect]
  if (kind === 'ab_roll') return labels.replacedRoll
  return before === undefined
    ? labels.effects.changed
    : labels.transition(before || labels.empty, value || labels.empty)
}

interface EnvEditorProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly problems: readonly LineProblem[]
}

/** Edits a .env file and marks the numbers of wrong lines. It accepts dropped files. */
function EnvEditor({ value, onChange, problems }: EnvEditorProps) {
  const id = useId()
  const [isDropping, setDropping] = useState(false)
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | null | undefined): Promise<void> => {
    if (!file) return
    if (file.size > limits.writeBodyBytes) return setProblem(labels.tooLarge)
    // The text of a File has replacements for what is not UTF-8.
    const decoded = decodeFile(new Uint8Array(await file.arrayBuffer()))
    if ('invalidLine' in decoded) return setProblem(labels.notUtf8(decoded.invalidLine))
    setProblem(undefined)
    onChange(decoded.text)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setDropping(false)
    void read(event.dataTransfer.files[0])
  }
  return (
    <Input.Wrapper id={id} label={labels.contents} description={labels.contentsHint} error={problem}>
      <div
        role="presentation"
        className={classes['editor']}
        data-dropping={isDropping}
        onDragOver={(event) => {
          event.preventDefault()
          setDropping(true)
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={drop}
      >
        <NumberedText id={id} value={value} onChange={onChange} problems={problems} />
      </div>
      <Group mt="xs">
        <FileButton onChange={(file) => void read(file)}>
          {(props) => (
            <Button {...props} size="compact-sm" variant="default">
              {labels.chooseFile}
            </Button>
          )}
        </FileButton>
      </Group>
    </Input.Wrapper>
  )
}

interface NumberedTextProps extends EnvEditorProps {
  readonly id: string
}

function NumberedText({ id, value, onChange, problems }: NumberedTextProps) {
  const numbers = useRef<HTMLDivElement>(null)
  return (
    <>
      <div ref={numbers} className={classes['numbers']} aria-hidden>
        <Numbers count={value.split('\n').length} problems={problems} />
      </div>
      <textarea
        id={id}
        className={classes['text']}
        aria-describedby={`${id}-description ${id}-problems`}
        aria-invalid={problems.length > 0}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={({ currentTarget }) => numbers.current?.scrollTo({ top: currentTarget.scrollTop })}
        data-autofocus
      />
    </>
  )
}

interface NumbersProps {
  readonly count: number
  readonly problems: readonly LineProblem[]
}

/** The numbers of the lines, which stay as they are while a line is typed. */
const Numbers = memo(function Numbers({ count, problems }: NumbersProps) {
  const wrong = new Set(problems.map(({ line }) => line))
  return Array.from({ length: count }, (_, at) => (
    <div key={at} className={classes['number']} data-wrong={wrong.has(at + 1)}>
      {at + 1}
    </div>
  ))
})
