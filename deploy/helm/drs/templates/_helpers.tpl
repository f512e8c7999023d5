{{- define "drs.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "drs.labels" -}}
app.kubernetes.io/name: drs
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* What selects the pods of a part; takes a list of the root and the part. */}}
{{- define "drs.selector" -}}
app.kubernetes.io/name: drs
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* A pod's specification; takes a list of the root, the part ("api" or "worker") and its port. */}}
{{- define "drs.pod" -}}
{{- $root := index . 0 }}
{{- $part := index . 1 }}
{{- $port := index . 2 }}
{{- $values := get $root.Values $part }}
serviceAccountName: {{ include "drs.name" $root }}
automountServiceAccountToken: false
terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "drs.selector" (list $root $part) | nindent 8 }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ $part }}
    image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [{{ if eq $part "api" }}"serve"{{ else }}"worker"{{ end }}]
    ports:
      - { name: http, containerPort: {{ $port }} }
    env:
      {{- if eq $part "api" }}
      - { name: DRS_NO_WORKER, value: "true" }
      - { name: DRS_PUBLIC_URL, value: {{ $root.Values.publicUrl | quote }} }
      - { name: DRS_PORT, value: {{ $port | quote }} }
      {{- else }}
      - { name: DRS_WORKERS, value: {{ $values.threads | quote }} }
      - { name: DRS_HEALTH_PORT, value: {{ $port | quote }} }
      {{- end }}
      - { name: DRS_BLOB_URL, value: {{ $root.Values.stores.blobUrl | quote }} }
      - { name: DRS_VECTOR_URL, value: {{ $root.Values.stores.vectorUrl | quote }} }
      - { name: AWS_REGION, value: {{ $root.Values.stores.region | quote }} }
      {{- with $root.Values.stores.endpointUrl }}
      - { name: AWS_ENDPOINT_URL, value: {{ . | quote }} }
      {{- end }}
      {{- range $name, $value := $root.Values.settings }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
    envFrom:
      - secretRef: { name: {{ $root.Values.stores.existingSecret }} }
    # Alive means that the process answers; what it needs may be away for a while, and a restart would not help.
    startupProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 5
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /readyz, port: http }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 3
    {{- if eq $part "api" }}
    lifecycle:
      # Until no more connections come from proxies that have not heard yet.
      preStop:
        exec: { command: ["sleep", "5"] }
    {{- end }}
    resources: {{- toYaml $values.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      - { name: scratch, mountPath: /data, subPath: data }
      - { name: scratch, mountPath: /tmp, subPath: tmp }
volumes:
  - name: scratch
    emptyDir: { sizeLimit: {{ $values.scratch }} }
{{- end }}
