import { Stack, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { chooseMails, type MailChoice, mailChoicesQuery } from '../../data/account.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { labels } from './labels.ts'

interface MailsProps {
  readonly userId: string
}

/** Lets a person choose which mails they get. Shows nothing if the service sends no mail. */
export function Mails({ userId }: MailsProps) {
  const queryClient = useQueryClient()
  const query = mailChoicesQuery(userId)
  const { data = [] } = useQuery(query)
  const choose = useMutation({
    mutationFn: ({ kind, isOn }: MailChoice) =>
      chooseMails(data.filter((each) => (each.kind === kind ? isOn : !each.isOn)).map((each) => each.kind)),
    onSuccess: async (_, { label, isOn }) => {
      await queryClient.invalidateQueries(query)
      toast.success(labels.mails.done(label, !isOn))
    },
  })
  if (data.length === 0) return null
  return (
    <Section title={labels.mails.title} lead={labels.mails.text}>
      <Stack gap="sm">
        {data.map((choice) => (
          <Switch
            key={choice.kind}
            label={choice.label}
            checked={choice.isOn}
            disabled={choose.isPending}
            onChange={() => choose.mutate(choice)}
          />
        ))}
      </Stack>
      <ErrorNotice error={choose.error} />
    </Section>
  )
}
