import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../session/permissions.ts'
import { Panel } from '../../ui/page.tsx'
import { labels } from './labels.ts'
import { LabelsDrawer } from './labels-drawer.tsx'
import { PinsDrawer } from './pins-drawer.tsx'
import { PreviewPart } from './preview-part.tsx'
import { conditionText } from './rule-draft.ts'
import { RulesDrawer } from './rules-drawer.tsx'
import classes from './rolls.module.css'
import type { RollOfStage } from './setting-form.tsx'

const { deciding: words } = labels

interface DecisionPanelProps {
  readonly roll: RollOfStage
  /** The revision of the stage. */
  readonly revision: number
  readonly isReadOnly: boolean
}

/** Shows the steps of the decision in their order, and what they would give sample users. */
export function DecisionPanel({ roll, revision, isReadOnly }: DecisionPanelProps) {
  const { place, variable, chance, sides } = roll
  const { name, rules = [], pinned } = variable
  const [editing, setEditing] = useState<'pins' | 'rules' | 'labels'>()
  const [text, setText] = useState('')
  const samples = { text, setText }
  const mayRead = useMay()('read', place)
  const close = (): void => setEditing(undefined)
  const hasTargets = pinned !== undefined || rules.length > 0
  return (
    <Panel title={words.title} lead={words.lead}>
      <StepList roll={roll} />
      <Group gap="xs">
        {mayRead && (!isReadOnly || pinned) && (
          <Button variant="default" onClick={() => setEditing('pins')}>
            {isReadOnly ? words.showPins : words.editPins}
          </Button>
        )}
        {!isReadOnly && (
          <>
            <Button variant="default" onClick={() => setEditing('rules')}>
              {words.editRules}
            </Button>
            <Button variant="default" onClick={() => setEditing('labels')}>
              {words.editLabels}
            </Button>
          </>
        )}
      </Group>
      {hasTargets && <PreviewPart name={name} deciding={{ chance, rules, pinned }} sides={sides} samples={samples} />}
      <PinsDrawer roll={roll} samples={samples} isReadOnly={isReadOnly} opened={editing === 'pins'} onClose={close} />
      <RulesDrawer roll={roll} revision={revision} samples={samples} opened={editing === 'rules'} onClose={close} />
      <LabelsDrawer roll={roll} revision={revision} opened={editing === 'labels'} onClose={close} />
    </Panel>
  )
}

interface StepListProps {
  readonly roll: RollOfStage
}

function StepList({ roll: { variable, chance, sides } }: StepListProps) {
  const { rules = [], pinned } = variable
  return (
    <ol className={`plain-list ${classes['decision']}`} aria-label={words.steps}>
      <li data-empty={!pinned || undefined}>
        <span>{words.pins}</span>
        <span>{pinned ? words.pinned(pinned, sides) : words.noPins}</span>
      </li>
      {rules.length === 0 && (
        <li data-empty>
          <span>{words.rules}</span>
          <span>{words.noRules}</span>
        </li>
      )}
      {rules.map((rule, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- A rule is known by its position alone.
        <li key={at}>
          <span>{words.rule(at + 1)}</span>
          <span>
            {conditionText(rule)} → {labels.outcome(rule.then, sides)}
          </span>
        </li>
      ))}
      <li>
        <span>{words.others}</span>
        <span>{labels.outcome(chance, sides)}</span>
      </li>
    </ol>
  )
}
