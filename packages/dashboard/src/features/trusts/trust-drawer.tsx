import type { Trust } from '@rollkey/sdk/core'
import { Anchor, Button, Group, Stack, Text, Textarea, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { exactTime } from '../../lib/time.ts'
import { required } from '../../lib/validation.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { Command } from '../../ui/copy.tsx'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { documentationUrl } from '../../ui/labels.ts'
import { Notice } from '../../ui/notice.tsx'
import { EditTrust } from './edit-trust.tsx'
import { labels } from './labels.ts'
import { testToken, type TrustTest } from '../../data/trusts.ts'
import { githubJob, isOfGithub, jobSettings } from './trust-job.ts'
import classes from './trusts.module.css'
import { placeName } from '../../data/projects/labels.ts'

interface TrustDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly trust: Trust | undefined
  readonly onClose: () => void
  readonly onChanged: (trust: Trust) => void
}

/** Shows how a job uses a trust, compares a token with it, and changes it. */
export function TrustDrawer({ trust, onClose, onChanged }: TrustDrawerProps) {
  return (
    <FormDrawer opened={trust !== undefined} onClose={onClose} title={trust?.name}>
      {trust && <TrustContent key={trust.id} trust={trust} onChanged={onChanged} />}
    </FormDrawer>
  )
}

interface TrustContentProps extends OfTrustProps {
  readonly onChanged: (trust: Trust) => void
}

function TrustContent({ trust, onChanged }: TrustContentProps) {
  const [isEditing, { open, close }] = useDisclosure()
  const saved = (changed: Trust): void => {
    close()
    onChanged(changed)
  }
  if (isEditing) return <EditTrust trust={trust} onCancel={close} onSaved={saved} />
  return (
    <Stack>
      <Terms trust={trust} onEdit={open} />
      <HowToUse trust={trust} />
      <Tester key={trust.updatedAtMs} trust={trust} />
    </Stack>
  )
}

interface TermsProps extends OfTrustProps {
  readonly onEdit: () => void
}

/** Shows what a trust accepts and gives. */
function Terms({ trust, onEdit }: TermsProps) {
  const { issuer, claims, role } = trust
  return (
    <>
      <Text className="wrapping">{labels.terms(issuer, role, placeName(trust))}</Text>
      <ul className="plain-list" aria-label={labels.claims}>
        {claims.map(({ name, value }) => (
          <li key={name} className="wrapping">
            <code>
              {name}={value}
            </code>
          </li>
        ))}
      </ul>
      <Group>
        <Button variant="default" onClick={onEdit}>
          {labels.edit.button}
        </Button>
      </Group>
    </>
  )
}

interface OfTrustProps {
  readonly trust: Trust
}

function HowToUse({ trust }: OfTrustProps) {
  const { publicUrl } = useSettings()
  const words = isOfGithub(trust) ? labels.use.github : labels.use.elsewhere
  const settings = jobSettings(trust, publicUrl).map(([name, value]) => `${name}=${value}`)
  return (
    <>
      <Text>{words.text}</Text>
      <Command what={words.what} text={isOfGithub(trust) ? githubJob(trust, publicUrl) : settings.join('\n')} />
      <Text size="sm" c="dimmed">
        {words.more} <Anchor href={`${documentationUrl}ci/`}>{labels.use.jobs}</Anchor>
      </Text>
    </>
  )
}

/** The token is in the state of this form alone: a mutation would keep what it was called with. */
function Tester({ trust: { id } }: OfTrustProps) {
  const scope = useScope()
  const [result, setResult] = useState<TrustTest>()
  const form = useForm({ initialValues: { token: '' }, validate: { token: required(labels.test.tokenMissing) } })
  const compare = useMutation({
    mutationFn: async () => setResult(await testToken(scope, id, form.values.token.trim())),
  })
  return (
    <>
      <Title order={3}>{labels.test.title}</Title>
      <Text>{labels.test.text}</Text>
      {result && <Result result={result} />}
      <SubmitForm
        form={form}
        mutation={{ ...compare, mutate: () => compare.mutate() }}
        label={labels.test.submit}
        isSecondary
      >
        <Textarea
          {...form.getInputProps('token')}
          label={labels.test.token}
          classNames={{ input: classes['code'] }}
          autoComplete="off"
          spellCheck={false}
          rows={4}
          required
        />
      </SubmitForm>
    </>
  )
}

interface ResultProps {
  readonly result: TrustTest
}

interface Row {
  readonly name: string
  readonly expected: string
  readonly actual?: string | undefined
  readonly matches: boolean
}

function rowsOf({ signature, issuer, audience, times, proposedChange, claims }: TrustTest): readonly Row[] {
  const words = labels.test
  const until = times.expiresAtMs === undefined ? undefined : exactTime(times.expiresAtMs)
  return [
    { name: words.signature, expected: 'valid', actual: signature, matches: signature === 'valid' },
    { name: 'iss', ...issuer },
    { name: 'aud', ...audience },
    { name: words.times, expected: words.now, actual: until, matches: times.matches },
    {
      name: words.fork,
      expected: words.no,
      actual: proposedChange.actual ? words.yes : words.no,
      matches: proposedChange.matches,
    },
    ...claims,
  ]
}

function Result({ result }: ResultProps) {
  const words = labels.test
  return (
    <>
      <Notice kind={result.accepted ? 'success' : 'error'}>{result.problem ?? words.accepted}</Notice>
      <ul className={`plain-list ${classes['result']}`} aria-label={words.result}>
        {rowsOf(result).map(({ name, expected, actual, matches }) => (
          <li key={name}>
            <span className={classes['claim']}>
              <code>{name}</code>
              <span className={classes['match']} data-matches={matches}>
                {matches ? words.matches : words.differs}
              </span>
            </span>
            <span className={classes['compared']}>
              {words.expected} <code>{expected}</code>
              {!matches && (
                <>
                  , {words.actual} <code>{actual ?? words.absent}</code>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
