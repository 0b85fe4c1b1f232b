import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { usePlaceChange } from './use-project-change.ts'
import { useScope } from '../../session/use-scope.ts'
import { NewPlaceForm, type NewPlace } from './create-form.tsx'
import { createProject } from './queries.ts'

export function NewProjectButton() {
  const [isOpen, { open, close }] = useDisclosure()
  const scope = useScope()
  const navigate = useNavigate({ from: '/o/$orgSlug' })
  const create = usePlaceChange(async ({ name, slug }: NewPlace) => {
    await createProject(scope, slug, name.trim())
    await navigate({ to: './p/$projectSlug', params: { projectSlug: slug } })
  })
  return (
    <>
      <Button onClick={open}>New project</Button>
      <Modal opened={isOpen} onClose={close} title="New project">
        <NewPlaceForm what="Project" mutation={create} />
      </Modal>
    </>
  )
}
