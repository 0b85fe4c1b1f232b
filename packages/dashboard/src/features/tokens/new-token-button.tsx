import { Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { NewToken } from './new-token.tsx'

export function NewTokenButton() {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Group>
        <Button onClick={open}>New token</Button>
      </Group>
      {/* The token is shown once: a slip beside it must not lose it. */}
      <Modal opened={isOpen} onClose={close} title="New service token" closeOnClickOutside={false}>
        <NewToken onDone={close} />
      </Modal>
    </>
  )
}
