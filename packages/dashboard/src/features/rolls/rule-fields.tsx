import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type Operator, ruleOperators } from '@rollkey/contract/rules'
import { IconAdd, IconClose, IconDown, IconUp } from '../../ui/icons.ts'
import { labels } from './labels.ts'
import {
  type ConditionDraft,
  type DraftProblems,
  newCondition,
  operands,
  type RuleDraft,
  type ValueType,
  valueTypes,
} from './rule-draft.ts'
import classes from './rolls.module.css'
import type { Sides } from '../../data/rolls/labels.ts'

const { rules: words } = labels

interface RuleFieldsProps {
  readonly draft: RuleDraft
  /** Position among the rules, from 0. */
  readonly at: number
  /** Number of rules. */
  readonly count: number
  readonly sides: Sides | undefined
  /** What is shown as wrong. Absent: nothing. */
  readonly problems: DraftProblems | undefined
  readonly onChange: (draft: RuleDraft) => void
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
}

/** Shows the conditions of a rule, and who gets what if they hold. */
export function RuleFields({ draft, at, count, sides, problems, onChange, onMove, onRemove }: RuleFieldsProps) {
  const { conditions } = draft
  const number = at + 1
  const setConditions = (next: readonly ConditionDraft[]): void => onChange({ ...draft, conditions: next })
  return (
    <section className={classes['rule']} aria-label={words.rule(number)}>
      <RuleHead id={draft.id} at={at} count={count} onMove={onMove} onRemove={onRemove} />
      {conditions.map((condition, index) => (
        <ConditionFields
          key={condition.id}
          condition={condition}
          rule={number}
          isFirst={index === 0}
          problems={problems}
          onChange={(next) => setConditions(conditions.with(index, next))}
          {...(conditions.length > 1 && {
            removal: {
              label: words.removeCondition(number, index + 1),
              remove: () => setConditions(conditions.toSpliced(index, 1)),
            },
          })}
        />
      ))}
      <Group justify="space-between">
        <ThenFields
          draft={draft}
          rule={number}
          sides={sides}
          problem={problems?.chances.get(draft.id)}
          onChange={onChange}
        />
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconAdd />}
          onClick={() => setConditions([...conditions, newCondition()])}
          aria-label={words.addCondition(number)}
        >
          {words.addConditionShort}
        </Button>
      </Group>
    </section>
  )
}

interface RuleHeadProps extends Pick<RuleFieldsProps, 'at' | 'count' | 'onMove' | 'onRemove'> {
  readonly id: number
}

function RuleHead({ id, at, count, onMove, onRemove }: RuleHeadProps) {
  const number = at + 1
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text fw={500}>{words.rule(number)}</Text>
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          data-part={`up-${id}`}
          aria-label={words.up(number)}
          disabled={at === 0}
          onClick={() => onMove(at - 1)}
        >
          <IconUp />
        </ActionIcon>
        <ActionIcon
          data-part={`down-${id}`}
          aria-label={words.down(number)}
          disabled={at === count - 1}
          onClick={() => onMove(at + 1)}
        >
          <IconDown />
        </ActionIcon>
        <ActionIcon data-part={`remove-${id}`} aria-label={words.remove(number)} onClick={onRemove}>
          <IconClose />
        </ActionIcon>
      </Group>
    </Group>
  )
}

interface ConditionFieldsProps {
  readonly condition: ConditionDraft
  /** Number of the rule, for the names of the fields. */
  readonly rule: number
  /** Whether it shows the labels of its fields, for those below it, too. */
  readonly isFirst: boolean
  readonly problems: DraftProblems | undefined
  readonly onChange: (condition: ConditionDraft) => void
  /** Absent: it is the only condition. */
  readonly removal?: { readonly label: string; readonly remove: () => void }
}

const operatorChoices = ruleOperators.map((value) => ({ value, label: words.operators[value] }))

/** Shows one condition: an attribute, an operator and what it compares with. */
function ConditionFields({ condition, rule, isFirst, problems, onChange, removal }: ConditionFieldsProps) {
  const { id, attribute, operator, type } = condition
  const operand = operands[operator]
  const hasType = operand === 'scalars' || operand === 'scalar'
  const types = valueTypes.filter((each) => each !== 'mixed' || operand === 'scalars')
  const setOperator = (next: Operator): void =>
    // One value is not a list of JSON values.
    onChange({ ...condition, operator: next, ...(operands[next] === 'scalar' && type === 'mixed' && { type: 'text' }) })
  return (
    <Stack gap={4}>
      <div className={classes['condition']} data-typed={hasType || undefined} data-labeled={isFirst || undefined}>
        <TextInput
          label={isFirst && words.fields.attribute}
          aria-label={words.attribute(rule)}
          placeholder={words.attributeExample}
          classNames={{ input: 'mono' }}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          value={attribute}
          error={problems?.attributes.get(id)}
          onChange={(event) => onChange({ ...condition, attribute: event.currentTarget.value })}
          data-part={`attribute-${id}`}
        />
        <NativeSelect
          label={isFirst && words.fields.operator}
          aria-label={words.operator(rule)}
          data={operatorChoices}
          value={operator}
          onChange={(event) => setOperator(event.currentTarget.value as Operator)}
        />
        {hasType && (
          <NativeSelect
            label={isFirst && words.fields.type}
            aria-label={words.type(rule)}
            data={types.map((value) => ({ value, label: words.types[value] }))}
            value={type}
            onChange={(event) => onChange({ ...condition, type: event.currentTarget.value as ValueType })}
          />
        )}
        {removal && (
          <ActionIcon size="var(--control-height)" aria-label={removal.label} onClick={removal.remove}>
            <IconClose />
          </ActionIcon>
        )}
      </div>
      <ValuesField
        condition={condition}
        rule={rule}
        isFirst={isFirst}
        problem={problems?.values.get(id)}
        onChange={onChange}
      />
    </Stack>
  )
}

interface ValuesFieldProps extends Pick<ConditionFieldsProps, 'condition' | 'rule' | 'isFirst' | 'onChange'> {
  readonly problem: string | undefined
}

function ValuesField({ condition, rule, isFirst, problem, onChange }: ValuesFieldProps) {
  const { operator, type, values } = condition
  const operand = operands[operator]
  const props = {
    label: isFirst && words.fields.values,
    'aria-label': words.values(rule),
    placeholder: words.example(operator, type),
    classNames: { input: 'mono' },
    autoCapitalize: 'none',
    autoComplete: 'off',
    spellCheck: false,
    value: values,
    error: problem,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...condition, values: event.currentTarget.value }),
  }
  return operand === 'scalars' || operand === 'texts' ? (
    <Textarea {...props} minRows={1} maxRows={6} />
  ) : (
    <TextInput {...props} />
  )
}

interface ThenFieldsProps extends Pick<RuleFieldsProps, 'draft' | 'sides' | 'onChange'> {
  readonly rule: number
  readonly problem: string | undefined
}

function ThenFields({ draft, rule, sides, problem, onChange }: ThenFieldsProps) {
  const { then, percent } = draft
  return (
    <Group gap="xs">
      <Text size="sm">{words.thenWord}</Text>
      <SegmentedControl
        aria-label={words.then(rule)}
        data={[
          { value: 'a', label: labels.name('a', sides) },
          { value: 'b', label: labels.name('b', sides) },
          { value: 'chance', label: words.chance },
        ]}
        value={then}
        onChange={(next) => onChange({ ...draft, then: next })}
      />
      {then === 'chance' && (
        <NumberInput
          aria-label={words.percent(rule)}
          w={96}
          suffix="%"
          min={0}
          max={100}
          decimalScale={4}
          value={percent}
          error={problem}
          onChange={(next) => onChange({ ...draft, percent: next })}
        />
      )}
    </Group>
  )
}
