import { useScope } from '../../session/use-scope.ts'
import type { Viewer } from '../../session/viewer.ts'

interface WhoAmIProps {
  readonly viewer: Viewer
}

export function WhoAmI({ viewer }: WhoAmIProps) {
  const { organization } = useScope()
  if (viewer.provider === 'outside') {
    return viewer.name === undefined
      ? 'You are signed in by your identity provider.'
      : `You are signed in as ${viewer.name}, by your identity provider.`
  }
  const { name, email } = viewer
  return (
    <span className="wrapping">
      You are signed in as {name} ({email}) and act in the organization <strong>{organization?.name}</strong> (slug:{' '}
      {organization?.slug}).
    </span>
  )
}
