import { NumberInput, Stack, Switch, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { limits } from '@rollkey/contract/rules'
import { ask, useScope } from '../../session/scope.ts'
import { Modal } from '../../ui/dialog.tsx'
import { focusOn } from '../../ui/focus.ts'
import { SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAccessChange } from '../access/queries.ts'
import { stageFocus } from '../projects/commands.ts'
import type { Stage } from '../projects/queries.ts'
import { labels } from './labels.ts'
import { requiredApprovals } from './queries.ts'

interface RulesDialogProps {
  readonly projectSlug: string
  readonly stage: Stage
  readonly opened: boolean
  readonly onClose: () => void
}

/** Sets how many approvals a change of a protected stage needs. */
export function RulesDialog(props: RulesDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={labels.rules.title(props.stage.name)}>
      <RulesForm {...props} />
    </Modal>
  )
}

function RulesForm({ projectSlug, stage, onClose }: RulesDialogProps) {
  const scope = useScope()
  const form = useForm({
    initialValues: { approvals: requiredApprovals(stage), selfApproval: stage.protection?.selfApproval ?? false },
  })
  const save = useAccessChange(async ({ approvals, selfApproval }: typeof form.values) => {
    await ask(scope, 'stageProtect', {
      projectSlug,
      stageSlug: stage.stageSlug,
      isProtected: true,
      dryRun: false,
      approvals,
      selfApproval,
    })
    onClose()
    focusOn(stageFocus(stage.stageSlug))
    toast.success(labels.rules.saved(stage.name, approvals))
  })
  return (
    <SubmitForm form={form} mutation={save} label={labels.rules.save}>
      <Stack gap="sm">
        <Text>{labels.rules.text}</Text>
        <NumberInput
          {...form.getInputProps('approvals')}
          label={labels.rules.approvals}
          description={labels.rules.approvalsUse}
          min={0}
          max={limits.approvals}
          data-autofocus
        />
        <Switch {...form.getInputProps('selfApproval', { type: 'checkbox' })} label={labels.rules.self} />
      </Stack>
    </SubmitForm>
  )
}
