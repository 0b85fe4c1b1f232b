import { List } from '@mantine/core'
import { Notice } from '../../ui/notice.tsx'

export function ApprovalWarning() {
  return (
    <Notice kind="warning" title="Approve only a login that you started yourself">
      <List spacing={6}>
        <List.Item>You started it just now, on a device that you control, and that device shows this code.</List.Item>
        <List.Item>Whoever holds this code gets access to the organization in your name.</List.Item>
        <List.Item>
          Nobody from support will ever ask you for a code, or to approve one. If somebody did, deny it.
        </List.Item>
      </List>
    </Notice>
  )
}
