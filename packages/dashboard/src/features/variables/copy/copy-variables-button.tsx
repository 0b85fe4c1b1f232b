import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { FormDrawer } from '../../../ui/form-drawer.tsx'
import type { Project } from '../../projects/queries.ts'
import { CopyForm } from './copy-form.tsx'

interface CopyVariablesButtonProps {
  readonly project: Project
}

export function CopyVariablesButton({ project }: CopyVariablesButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="sm" variant="default" onClick={open}>
        Copy between stages
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title="Copy between stages">
        <CopyForm project={project} onDone={close} />
      </FormDrawer>
    </>
  )
}
