import { Button, Text } from '@mantine/core'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { FormDrawer } from '../../ui/form.tsx'
import { IconAdd } from '../../ui/icons.ts'
import { Notice } from '../../ui/notice.tsx'
import { labels } from './labels.ts'
import { PreviewPart, type SampleContexts } from './preview-part.tsx'
import { draftsOf, moved, newRule, problemsOf, type RuleDraft, rulesOf } from './rule-draft.ts'
import { RuleFields } from './rule-fields.tsx'
import classes from './rolls.module.css'
import { type RollOfStage, SettingForm } from './setting-form.tsx'

const { rules: words } = labels

interface RulesDrawerProps {
  readonly roll: RollOfStage
  /** The revision of the stage. */
  readonly revision: number
  readonly samples: SampleContexts
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the targeting rules of a roll. */
export function RulesDrawer({ opened, onClose, ...props }: RulesDrawerProps) {
  return (
    <FormDrawer opened={opened} onClose={onClose} title={words.title(props.roll.variable.name)}>
      {opened && <RulesForm {...props} onClose={onClose} />}
    </FormDrawer>
  )
}

/** Returns the ref of an element, and a function that focuses one of its parts when the next state is on the page. */
function useFocusAfter() {
  const element = useRef<HTMLDivElement>(null)
  const selector = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (selector.current === undefined) return
    element.current?.querySelector<HTMLElement>(selector.current)?.focus()
    selector.current = undefined
  })
  return {
    element,
    focusAfter: (next: string): void => {
      selector.current = next
    },
  }
}

/** Returns the selector of the first of the parts that can have the focus. */
function enabled(...parts: string[]): string {
  return parts.map((part) => `[data-part="${part}"]:enabled`).join()
}

/** Returns the drafts, and how to change their order and number. The focus goes to what was changed, or to its neighbor. */
function useDrafts(stored: readonly RuleDraft[]) {
  const [drafts, setDrafts] = useState(stored)
  const { element, focusAfter } = useFocusAfter()
  return {
    drafts,
    element,
    change: (at: number, draft: RuleDraft) => setDrafts(drafts.with(at, draft)),
    add: () => {
      const rule = newRule()
      setDrafts([...drafts, rule])
      focusAfter(enabled(`attribute-${rule.conditions[0]?.id}`))
    },
    remove: (at: number) => {
      const neighbor = drafts[at + 1] ?? drafts[at - 1]
      setDrafts(drafts.toSpliced(at, 1))
      focusAfter(enabled(neighbor ? `remove-${neighbor.id}` : 'add'))
    },
    move: (at: number, to: number) => {
      const id = drafts[at]?.id
      setDrafts(moved(drafts, at, to))
      const [same, other] = to < at ? ['up', 'down'] : ['down', 'up']
      focusAfter(to === 0 || to === drafts.length - 1 ? enabled(`${other}-${id}`) : enabled(`${same}-${id}`))
    },
  }
}

function RulesForm({ roll, revision, samples, onClose }: Omit<RulesDrawerProps, 'opened'>) {
  const { stage, variable, chance, sides } = roll
  const [initial] = useState(() => draftsOf(variable.rules ?? []))
  const [seen] = useState(revision)
  const [isChecked, setChecked] = useState(false)
  const { drafts, element, change, add, remove, move } = useDrafts(initial)
  const problems = useMemo(() => problemsOf(drafts), [drafts])
  const rules = useMemo(() => rulesOf(drafts), [drafts])
  const stored = useMemo(() => JSON.stringify(rulesOf(initial)), [initial])
  const { pinned } = variable
  const deciding = useMemo(() => (problems ? undefined : { chance, rules, pinned }), [problems, chance, rules, pinned])
  return (
    <SettingForm
      roll={roll}
      seen={seen}
      lead={`${words.lead} ${words.listHint}`}
      changes={problems ? undefined : { rules: rules.length === 0 ? null : rules }}
      isUnchanged={drafts.length === initial.length && JSON.stringify(rules) === stored}
      onCheck={() => setChecked(true)}
      savedText={words.saved(variable.name, stage.name)}
      onClose={onClose}
    >
      <div ref={element} className={classes['rules']}>
        {drafts.length === 0 && <Text c="dimmed">{words.none}</Text>}
        {drafts.map((draft, at) => (
          <RuleFields
            key={draft.id}
            draft={draft}
            at={at}
            count={drafts.length}
            sides={sides}
            problems={isChecked ? problems : undefined}
            onChange={(next) => change(at, next)}
            onMove={(to) => move(at, to)}
            onRemove={() => remove(at)}
          />
        ))}
        <div>
          <Button variant="default" leftSection={<IconAdd />} data-part="add" data-autofocus onClick={add}>
            {words.addRule}
          </Button>
        </div>
      </div>
      {isChecked && problems?.all !== undefined && <Notice kind="error">{problems.all}</Notice>}
      <PreviewPart name={variable.name} deciding={deciding} sides={sides} samples={samples} />
    </SettingForm>
  )
}
