import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { NewPlaceForm, type NewPlace } from '../../components/new-place-form.tsx'
import { usePlaceChange } from '../../hooks/use-place-change.ts'
import { useScope } from '../../hooks/use-scope.ts'
import { createStage } from '../../variables/projects.ts'

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
