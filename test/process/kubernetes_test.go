//go:build unix

package process

import (
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// labels select pods. Every object of the manifest has those of the Deployment.
type labels struct {
	MatchLabels map[string]string
}

// container is the container of a pod.
type container struct {
	Args    []string
	EnvFrom []struct {
		ConfigMapRef, SecretRef struct{ Name string }
	}
	Ports []struct {
		Name          string
		ContainerPort int
	}
	StartupProbe, ReadinessProbe, LivenessProbe probe
	Resources                                   struct {
		Requests, Limits map[string]string
	}
}

type probe struct {
	HTTPGet                         struct{ Path, Port string }
	PeriodSeconds, FailureThreshold int
}

// object is an object of Kubernetes, with the fields that the test compares.
type object struct {
	Kind     string
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Data, StringData map[string]string
	Spec             struct {
		PodSelector    labels
		Selector       any // labels, or in a Service their map
		ScaleTargetRef struct{ Kind, Name string }
		Template       struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				ServiceAccountName            string
				TerminationGracePeriodSeconds int
				SecurityContext               struct{ RunAsUser, RunAsGroup int }
				Containers                    []container
			}
		}
		Ports   []struct{ TargetPort string }
		Ingress []struct{ Ports []struct{ Port string } }
	}
}

// TestKubernetes compares deploy/kubernetes.yaml with the program: it starts the server with the settings of
// the manifest. make lint-deploy checks the form of the objects.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]object{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var o object
		into(t, document, &o)
		if o.Metadata.Name != "issuegrid" || objects[o.Kind].Kind != "" {
			t.Errorf("%s %q", o.Kind, o.Metadata.Name)
		}
		objects[o.Kind] = o
	}
	pod := objects["Deployment"].Spec.Template
	for kind, o := range objects {
		if diff := cmp.Diff(pod.Metadata.Labels, o.Metadata.Labels); diff != "" {
			t.Errorf("labels of %s (-pod +object):\n%s", kind, diff)
		}
	}
	own := map[string]any{}
	for name, value := range pod.Metadata.Labels {
		own[name] = value
	}
	for kind, selector := range map[string]any{
		"Deployment": map[string]any{"matchLabels": own}, "Service": own,
		"PodDisruptionBudget": map[string]any{"matchLabels": own}} {
		if diff := cmp.Diff(selector, objects[kind].Spec.Selector); diff != "" {
			t.Errorf("selector of %s (-pod +object):\n%s", kind, diff)
		}
	}
	selected := objects["NetworkPolicy"].Spec.PodSelector.MatchLabels
	if diff := cmp.Diff(pod.Metadata.Labels, selected); diff != "" {
		t.Errorf("NetworkPolicy (-pod +policy):\n%s", diff)
	}
	if scaled := objects["HorizontalPodAutoscaler"].Spec.ScaleTargetRef; scaled.Kind != "Deployment" ||
		scaled.Name != "issuegrid" || pod.Spec.ServiceAccountName != objects["ServiceAccount"].Metadata.Name {
		t.Errorf("%+v, %q", scaled, pod.Spec.ServiceAccountName)
	}
	if user := pod.Spec.SecurityContext; one(t, dockerfile(t), "USER") != "65532:65532" ||
		user.RunAsUser != 65532 || user.RunAsGroup != 65532 {
		t.Errorf("the pod runs as %+v, the image as another user", user)
	}

	c := pod.Spec.Containers[0]
	ports := map[string]string{}
	for _, port := range c.Ports {
		ports[port.Name] = number(port.ContainerPort)
	}
	policy := objects["NetworkPolicy"].Spec.Ingress
	for _, named := range []string{c.StartupProbe.HTTPGet.Port, c.ReadinessProbe.HTTPGet.Port,
		c.LivenessProbe.HTTPGet.Port, objects["Service"].Spec.Ports[0].TargetPort, policy[0].Ports[0].Port} {
		if named != "http" {
			t.Errorf("a port is %q, want http", named)
		}
	}
	if policy[1].Ports[0].Port != "metrics" || c.StartupProbe.HTTPGet.Path != c.LivenessProbe.HTTPGet.Path {
		t.Errorf("%+v, %+v", policy[1], c.StartupProbe)
	}
	env := map[string]string{}
	for _, from := range c.EnvFrom {
		maps.Copy(env, objects["ConfigMap"].Data)
		maps.Copy(env, objects["Secret"].StringData)
		if from.ConfigMapRef.Name+from.SecretRef.Name != "issuegrid" {
			t.Errorf("%+v", from)
		}
	}
	if c.Resources.Limits["memory"] != c.Resources.Requests["memory"] {
		t.Errorf("%+v: a server uses its memory limit, so it must be able to rely on it", c.Resources)
	}
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	deployment{args: c.Args, env: env, port: ports["http"], metrics: ports["metrics"],
		ready: c.ReadinessProbe.HTTPGet.Path, alive: c.LivenessProbe.HTTPGet.Path,
		noticed: seconds(c.ReadinessProbe.PeriodSeconds * c.ReadinessProbe.FailureThreshold),
		grace:   seconds(pod.Spec.TerminationGracePeriodSeconds),
		memory:  map[string]int{"512Mi": 512 << 20, "1Gi": 1 << 30}[c.Resources.Limits["memory"]],
	}.check(t)
}
