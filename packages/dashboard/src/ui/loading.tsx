import { Center, Loader } from '@mantine/core'

export function Loading() {
  return (
    <Center mih={120} role="status" aria-label="Loading">
      <Loader />
    </Center>
  )
}
