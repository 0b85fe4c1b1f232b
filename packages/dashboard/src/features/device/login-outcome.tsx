import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'

const outcomes = {
  approved: {
    title: 'Approved',
    text: 'Approved. Your device is signed in within a few seconds. You can close this window.',
  },
  denied: {
    title: 'Denied',
    text: 'Denied. The device gets no access. You can close this window.',
  },
}

interface LoginOutcomeProps {
  readonly outcome: keyof typeof outcomes
}

export function LoginOutcome({ outcome }: LoginOutcomeProps) {
  const { title, text } = outcomes[outcome]
  return (
    <Page title={title}>
      <Notice kind={outcome === 'approved' ? 'success' : 'info'}>{text}</Notice>
      <TextLink to="/">Go to the start page</TextLink>
    </Page>
  )
}
