import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { BusyButton } from '../../../ui/busy-button.tsx'
import { ProblemNotice } from '../../../ui/error-notice.tsx'
import { usePlaceChange } from '../../projects/use-project-change.ts'
import { useScope } from '../../../session/use-scope.ts'
import { updateStage, type Project } from '../../projects/queries.ts'

interface ArchivedStagesProps {
  readonly project: Project
}

/** The way back for stages that were archived. */
export function ArchivedStages({ project: { projectSlug, stages } }: ArchivedStagesProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const scope = useScope()
  const takeOut = usePlaceChange((stageSlug: string) => updateStage(scope, projectSlug, stageSlug, { archived: false }))
  const archived = stages.filter(({ archivedAtMs }) => archivedAtMs !== undefined)
  return (
    <>
      {archived.length > 0 && (
        <Button size="sm" variant="default" onClick={open}>
          Archived stages ({archived.length})
        </Button>
      )}
      <Modal opened={isOpen && archived.length > 0} onClose={close} title="Archived stages">
        <Stack>
          <Text>Applications read them as before; nobody can change them.</Text>
          {archived.map(({ stageSlug, name }) => (
            <Group key={stageSlug} justify="space-between">
              <Text fw={600}>{name}</Text>
              <BusyButton
                size="sm"
                variant="default"
                aria-label={`Restore ${name} from the archive`}
                isBusy={takeOut.isPending && takeOut.variables === stageSlug}
                onClick={() => takeOut.mutate(stageSlug)}
              >
                Restore
              </BusyButton>
            </Group>
          ))}
          <ProblemNotice error={takeOut.error} />
        </Stack>
      </Modal>
    </>
  )
}
