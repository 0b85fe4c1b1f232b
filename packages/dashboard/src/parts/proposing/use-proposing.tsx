import type { Stage } from '@rollkey/sdk/core'
import { Stack, Text } from '@mantine/core'
import { isStop, type RollWrite } from '@rollkey/contract/rules'
import type { ReactNode } from 'react'
import { absoluteTime } from '../../lib/time.ts'
import { useMay } from '../../session/permissions.ts'
import { Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/time.tsx'
import { ApproverShortage } from './approver-shortage.tsx'
import { useReason } from './reason-field.tsx'
import { type WriteRule, writeRuleOf } from '../../data/proposals/write-rule.ts'
import { labels } from './labels.ts'

type WrittenStage = Pick<Stage, 'stageSlug' | 'name' | 'protection' | 'lacksApprovers'>

/** How a form saves when some stages accept only proposals. */
export interface Proposing {
  /** What keeps the stages from being written at once, for the top of the form. */
  readonly notice: ReactNode
  /** Asks why, for the foot of the form. */
  readonly reasonField: ReactNode
  /** Returns whether the person said why, or need not. If not, the field takes the focus and says what is missing. */
  readonly check: () => boolean
  /** Returns why the write of a stage is proposed; undefined if it is saved at once. */
  readonly reasonIn: (stageSlug: string) => string | undefined
  /** Forgets what the person said. */
  readonly reset: () => void
  /** Returns the text of the button. `save`: its text where stages are written at once; `propose`: where none of them is. */
  readonly label: <All extends WrittenStage>(
    stages: readonly All[],
    save: (stages: readonly All[]) => string,
    propose?: (stages: readonly string[]) => string,
  ) => string
}

/** Decides for each stage whether a write is saved or proposed. `write`: the fields of a roll that are written. */
export function useProposing(projectSlug: string, stages: readonly WrittenStage[], write: RollWrite = {}): Proposing {
  const reason = useReason()
  const nowMs = useNow()
  const may = useMay()
  const ruleOf = (stage: WrittenStage): WriteRule => {
    const rule = writeRuleOf(stage, nowMs)
    const mayStop = isStop(write) && may(stage.protection?.stopVerb ?? 'write', { projectSlug, ...stage })
    return mayStop ? { ...rule, isProposed: false } : rule
  }
  const proposed = stages.map((stage) => ({ stage, rule: ruleOf(stage) })).filter(({ rule }) => rule.isProposed)
  const isProposed = ({ stageSlug }: WrittenStage): boolean =>
    proposed.some(({ stage }) => stage.stageSlug === stageSlug)
  return {
    notice: proposed.length > 0 && <ProposingNotice projectSlug={projectSlug} proposed={proposed} />,
    reasonField: proposed.length > 0 && reason.field,
    check: () => proposed.length === 0 || reason.check(),
    reasonIn: (stageSlug) => (proposed.some(({ stage }) => stage.stageSlug === stageSlug) ? reason.text : undefined),
    reset: reason.reset,
    label: (all, save, propose = labels.proposeFor) => {
      const names = all.filter(isProposed).map(({ name }) => name)
      const saved = all.filter((stage) => !isProposed(stage))
      if (names.length === 0) return save(saved)
      return saved.length === 0 ? propose(names) : labels.saveAndPropose(save(saved), names)
    },
  }
}

interface ProposingNoticeProps {
  readonly projectSlug: string
  readonly proposed: readonly { readonly stage: WrittenStage; readonly rule: WriteRule }[]
}

/** Says which stages are frozen until when, and which require approval. */
function ProposingNotice({ projectSlug, proposed }: ProposingNoticeProps) {
  const reviewed = proposed.filter(({ rule }) => rule.approvals > 0)
  return (
    <Stack gap="xs">
      {proposed.map(
        ({ stage, rule: { frozenUntilMs } }) =>
          frozenUntilMs !== undefined && (
            <Notice key={stage.stageSlug} kind="warning">
              {labels.frozenStage(stage.name, absoluteTime(frozenUntilMs))}
            </Notice>
          ),
      )}
      {reviewed.length > 0 && (
        <Text size="sm">
          {labels.proposeHint(
            reviewed.map(({ stage }) => stage.name),
            Math.max(...reviewed.map(({ rule }) => rule.approvals)),
          )}
        </Text>
      )}
      {reviewed.map(
        ({ stage }) =>
          stage.lacksApprovers && (
            <ApproverShortage key={stage.stageSlug} place={{ projectSlug, stageSlug: stage.stageSlug }} stage={stage} />
          ),
      )}
    </Stack>
  )
}
