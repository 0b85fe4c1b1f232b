import { ActionIcon, Button, Fieldset, Group, Switch, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { placeSlug, required } from '../../lib/validation.ts'
import { useCommands } from '../../ui/commands.ts'
import { IconAdd, IconClose, IconDown, IconUp } from '../../ui/icons.ts'
import { FormDrawer, SlugFields, SubmitForm } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { useScope } from '../../session/scope.ts'
import { labels } from './labels.ts'
import { createProject, type NewStage, useProjectChange } from '../../data/projects/queries.ts'
import { labels as placeLabels } from '../../parts/projects/labels.ts'

type NewProject = {
  readonly name: string
  readonly slug: string
  readonly stages: NewStage[]
}

const initialValues: NewProject = {
  name: '',
  slug: '',
  stages: [
    { stageSlug: 'dev', isProduction: false },
    { stageSlug: 'staging', isProduction: false },
    { stageSlug: 'prod', isProduction: true },
  ],
}

export function NewProjectButton() {
  const [isOpen, { open, close }] = useDisclosure()
  useCommands([{ id: 'new-project', label: labels.newProject, keys: 'n', icon: IconAdd, run: open }])
  return (
    <>
      <Button leftSection={<IconAdd />} onClick={open}>
        {labels.newProject}
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title={labels.newProject}>
        <NewProjectForm />
      </FormDrawer>
    </>
  )
}

function NewProjectForm() {
  const scope = useScope()
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const form = useForm<NewProject>({
    initialValues,
    validate: {
      name: required(placeLabels.nameMissing),
      slug: placeSlug,
      stages: {
        stageSlug: (slug, { stages }) =>
          placeSlug(slug) ??
          (stages.filter(({ stageSlug }) => stageSlug === slug).length > 1 ? labels.sameStage : null),
      },
    },
  })
  const create = useProjectChange(async ({ name, slug, stages }: NewProject) => {
    await createProject(scope, slug, name.trim(), stages)
    toast.success(labels.created(name.trim()))
    await navigate({ to: './p/$projectSlug', params: { projectSlug: slug } })
  })
  return (
    <SubmitForm form={form} mutation={create} label={labels.create}>
      <SlugFields what="project" name={form.getInputProps('name')} slug={form.getInputProps('slug')} />
      <StageFields form={form} />
    </SubmitForm>
  )
}

interface StageFieldsProps {
  readonly form: UseFormReturnType<NewProject>
}

/** Lists the stages of a new project, in their order. */
function StageFields({ form }: StageFieldsProps) {
  const { stages } = form.values
  return (
    <Fieldset legend={labels.stages} variant="unstyled" m={0}>
      <Text size="xs" c="dimmed" mb="xs">
        {labels.stagesUse}
      </Text>
      {stages.map((_, at) => (
        <StageField key={at} form={form} at={at} />
      ))}
      <Button
        variant="default"
        mt={4}
        leftSection={<IconAdd />}
        onClick={() => {
          form.insertListItem('stages', { stageSlug: '', isProduction: false })
          setTimeout(() => form.getInputNode(`stages.${stages.length}.stageSlug`)?.focus())
        }}
      >
        {labels.addStage}
      </Button>
    </Fieldset>
  )
}

interface StageFieldProps extends StageFieldsProps {
  readonly at: number
}

function StageField({ form, at }: StageFieldProps) {
  const { stageSlug = '' } = form.values.stages[at] ?? {}
  const name = stageSlug === '' ? labels.stageNumber(at + 1) : stageSlug
  return (
    <Group gap={4} mb={4} wrap="nowrap" align="flex-start">
      <TextInput
        {...form.getInputProps(`stages.${at}.stageSlug`)}
        flex={1}
        aria-label={labels.stageNumber(at + 1)}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
      />
      <Switch
        {...form.getInputProps(`stages.${at}.isProduction`, { type: 'checkbox' })}
        my={6}
        mx="xs"
        label={labels.production}
        aria-label={labels.productionOf(name)}
      />
      <ActionIcon
        size="var(--control-height)"
        disabled={at === 0}
        aria-label={labels.moveUp(name)}
        onClick={() => form.reorderListItem('stages', { from: at, to: at - 1 })}
      >
        <IconUp />
      </ActionIcon>
      <ActionIcon
        size="var(--control-height)"
        disabled={at === form.values.stages.length - 1}
        aria-label={labels.moveDown(name)}
        onClick={() => form.reorderListItem('stages', { from: at, to: at + 1 })}
      >
        <IconDown />
      </ActionIcon>
      <ActionIcon
        size="var(--control-height)"
        aria-label={labels.leaveOut(name)}
        onClick={() => form.removeListItem('stages', at)}
      >
        <IconClose />
      </ActionIcon>
    </Group>
  )
}
