import { Button, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Project } from '../../variables/projects.ts'
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
      <Drawer opened={isOpen} onClose={close} title="Paste a .env file">
        <PasteForm project={project} onDone={close} />
      </Drawer>
    </>
  )
}
