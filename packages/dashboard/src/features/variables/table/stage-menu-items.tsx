import { Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Project, Stage } from '../../projects/queries.ts'
import { labels } from './labels.ts'

interface StageMenuItemsProps {
  readonly project: Project
  readonly stage: Stage
}

/** What can be done with a stage, besides renaming and archiving it. */
export function StageMenuItems({ project: { projectSlug }, stage: { stageSlug } }: StageMenuItemsProps) {
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug' })
  return (
    <Menu.Item
      onClick={() => void navigate({ to: './history', params: { projectSlug }, search: { stage: stageSlug } })}
    >
      {labels.history}
    </Menu.Item>
  )
}
