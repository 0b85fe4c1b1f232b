import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import type { Project } from '../../projects/queries.ts'
import { PasteForm } from './paste-form.tsx'

interface PasteButtonProps {
  readonly project: Project
}

export function PasteButton({ project }: PasteButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        Paste .env
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title="Paste a .env file">
        <PasteForm project={project} onDone={close} />
      </FormDrawer>
    </>
  )
}
