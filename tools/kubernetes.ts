/** Manifests for Kubernetes 1.30 or newer: Rollkey on its embedded store, and on PostgreSQL. */
import { stringify } from 'yaml'
import manifest from '../packages/server/package.json' with { type: 'json' }

const name = 'rollkey'
const labels = { 'app.kubernetes.io/name': name }
const port = 8787
/** Of the image. */
const userId = 65_532

type Manifest = Readonly<Record<string, unknown>>

/** The secret `rollkey` is made by hand, so that no file of a repository has it. */
const secretFiles = '/run/secrets/rollkey'

function probe(path: string, more: object): object {
  return { httpGet: { path, port: 'http' }, timeoutSeconds: 3, ...more }
}

function container(environment: Readonly<Record<string, string>>): object {
  return {
    name,
    image: `rollkey/server:${manifest.version}`,
    env: Object.entries({
      ROLLKEY_PUBLIC_URL: 'https://rollkey.example.com',
      // The network of the pods of your ingress controller.
      ROLLKEY_TRUSTED_PROXIES: '10.0.0.0/8',
      ROLLKEY_MASTER_KEY_FILE: `${secretFiles}/master-key`,
      ...environment,
    }).map(([key, value]) => ({ name: key, value })),
    ports: [{ name: 'http', containerPort: port }],
    // The first start of a new version may migrate the store, which can take minutes.
    startupProbe: probe('/readyz', { periodSeconds: 2, failureThreshold: 300 }),
    readinessProbe: probe('/readyz', { periodSeconds: 5, failureThreshold: 2 }),
    livenessProbe: probe('/livez', { periodSeconds: 10, failureThreshold: 6 }),
    // Requests still arrive for a moment after the pod is taken out of its service.
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'secret', mountPath: secretFiles, readOnly: true },
    ],
  }
}

interface Parts {
  readonly replicas: number
  /** How a new version replaces the old one. */
  readonly strategy: object
  readonly environment: Readonly<Record<string, string>>
  /** The volume of `/data`. */
  readonly data: object
}

function deployment({ replicas, strategy, environment, data }: Parts): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      strategy,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 30,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: userId,
            runAsGroup: userId,
            fsGroup: userId,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          ...(replicas > 1 && {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'ScheduleAnyway',
                labelSelector: { matchLabels: labels },
              },
            ],
          }),
          containers: [container(environment)],
          volumes: [
            { name: 'data', ...data },
            { name: 'secret', secret: { secretName: name, defaultMode: 0o440 } },
          ],
        },
      },
    },
  }
}

const service: Manifest = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels },
  spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
}

/** Lets pods of this namespace and of the ingress controller in, and nothing out but names, TLS and, if needed, the database. */
function networkPolicy(databasePorts: readonly number[]): Manifest {
  const ingressController = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }
  const dns = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }))
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: {} }, ingressController], ports: [{ protocol: 'TCP', port }] }],
      egress: [{ ports: [...dns, ...[443, ...databasePorts].map((each) => ({ protocol: 'TCP', port: each }))] }],
    },
  }
}

const claim: Manifest = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, labels },
  spec: { accessModes: ['ReadWriteOncePod'], resources: { requests: { storage: '10Gi' } } },
}

const disruptionBudget: Manifest = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, labels },
  spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
}

/** One pod. A new version starts after the old one has stopped, because only one process may open the store. */
export const embedded: readonly Manifest[] = [
  claim,
  deployment({
    replicas: 1,
    strategy: { type: 'Recreate' },
    environment: {},
    data: { persistentVolumeClaim: { claimName: name } },
  }),
  service,
  networkPolicy([]),
]

/** Several pods on one database. */
export const onPostgres: readonly Manifest[] = [
  deployment({
    replicas: 2,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    environment: { ROLLKEY_DATABASE_URL_FILE: `${secretFiles}/database-url` },
    data: { emptyDir: { sizeLimit: '64Mi' } },
  }),
  service,
  networkPolicy([5432]),
  disruptionBudget,
]

function page(title: string, manifests: readonly Manifest[]): string {
  const head = `# ${title} docs/deploy.md has the steps.\n# Made by npm run generate from tools/kubernetes.ts.\n`
  return head + manifests.map((each) => stringify(each, { aliasDuplicateObjects: false })).join('---\n')
}

/** Manifests by their paths in the repository. */
export const kubernetesPages = (): { path: string; text: string }[] => [
  { path: 'deploy/kubernetes/embedded.yaml', text: page('Rollkey on its embedded store.', embedded) },
  { path: 'deploy/kubernetes/postgres.yaml', text: page('Rollkey on PostgreSQL.', onPostgres) },
]
