import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { NewPlaceForm, type NewPlace } from '../../projects/create-form.tsx'
import { usePlaceChange } from '../../projects/use-project-change.ts'
import { useScope } from '../../../session/use-scope.ts'
import { createStage } from '../../projects/queries.ts'

interface NewStageButtonProps {
  readonly projectSlug: string
}

export function NewStageButton({ projectSlug }: NewStageButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const scope = useScope()
  const create = usePlaceChange(async ({ name, slug }: NewPlace) => {
    await createStage(scope, projectSlug, slug, name.trim())
    close()
  })
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        New stage
      </Button>
      <Modal opened={isOpen} onClose={close} title="New stage">
        <NewPlaceForm what="Stage" mutation={create} />
      </Modal>
    </>
  )
}
